import type { ModelMessage } from "../model-message-shape.ts";
import { actor, answers, asks, says, type Actor } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** What may stand behind what, and what comes back. */
export const appendChapter: ConformanceChapter = {
  name: "append rules",
  cases: [
    onStore(
      "messages come back as they were appended, in order, with positions and open counts",
      async ({ store }) => {
        const planner = await actor(store);
        const messages = [says("go"), asks("a", "b"), answers("b"), answers("a"), says("thanks")];
        const result = await planner.append(messages);
        ensureSame(
          [result.len, result.settledLen, result.from, result.rev, result.ids.length],
          [5, 5, 0, 1, 5],
          "the result",
        );
        const rows = await planner.rows();
        ensureSame(
          rows.map(({ body }) => body),
          messages,
          "the bodies",
        );
        ensureSame(
          rows.map(({ position }) => position),
          [0, 1, 2, 3, 4],
          "the positions",
        );
        ensureSame(
          rows.map(({ openAfter }) => openAfter),
          [0, 2, 1, 0, 0],
          "the open counts",
        );
        ensureSame(
          rows.map(({ kind }) => kind),
          ["user", "assistant", "tool", "tool", "user"],
          "the kinds",
        );
        ensureSame(
          rows.map(({ id }) => id),
          result.ids,
          "the ids",
        );
        ensure(rows.at(-1)?.digest === result.digest, "the last digest is the head's");
      },
    ),
    onStore("the range of a read is honoured", async ({ store }) => {
      const planner = await actor(store);
      await planner.append(["a", "b", "c", "d", "e"].map(says));
      const seen: number[] = [];
      const range = store.read(planner.sessionId, { from: 1, to: 4, pageSize: 2 });
      for await (const row of range) seen.push(row.position);
      ensureSame(seen, [1, 2, 3], "the rows from 1 to 4");
    }),
    onStore("what is appended during a read doesn't show in it", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")]);
      const seen: number[] = [];
      for await (const row of store.read(planner.sessionId, { pageSize: 1 })) {
        if (seen.length < 2) await planner.append([says("later")]);
        seen.push(row.position);
      }
      ensureSame(seen, [0, 1], "the length when the read began");
    }),
    onStore("F111: nothing but a matching result may follow an open call", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("go"), asks("a", "b")]);
      const head = await store.head(planner.sessionId);
      ensureSame([head.openCalls.length, head.settledLen], [2, 1], "two calls are open");
      await ensureRefused(planner.append([says("meanwhile")]), "open_calls");
      await ensureRefused(planner.append([asks("c")]), "open_calls");
      await planner.append([answers("a")]);
      await ensureRefused(planner.append([says("meanwhile")]), "open_calls");
      await planner.append([answers("b")]);
      await planner.append([says("now")]);
    }),
    onStore("a result that nothing waits for is refused, also a second one", async ({ store }) => {
      const planner = await actor(store);
      await ensureRefused(planner.append([answers("a")]), "unmatched_result");
      await planner.append([asks("a", "b"), answers("a")]);
      await ensureRefused(planner.append([answers("a")]), "unmatched_result");
      await planner.append([answers("b")]);
      await ensureRefused(planner.append([answers("b")]), "unmatched_result");
      await planner.append([asks("a"), answers("a")]);
    }),
    onStore("an append is all or nothing", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("one")]);
      const before = await store.head(planner.sessionId);
      await ensureRefused(planner.append([says("two"), asks("a"), says("three")]), "open_calls");
      ensureSame(await store.head(planner.sessionId), before, "the head is unchanged");
      ensure((await planner.rows()).length === 1, "no row was added");
    }),
    onStore("a pending approval counts as open", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([asked()]);
      ensure((await store.head(planner.sessionId)).settledLen === 0, "nothing is settled");
      await planner.append([answers("a")]);
      await ensureRefused(planner.append([says("go on")]), "open_calls");
      await planner.append([approved()]);
      ensure((await store.head(planner.sessionId)).settledLen === 3, "all is settled");
    }),
    onStore("what is no message is refused, and so is an empty append", async ({ store }) => {
      const planner = await actor(store);
      const bad = { role: "bard", content: "sing" } as unknown as ModelMessage;
      ensure(
        (await ensureRefused(planner.append([says("a"), bad]), "invalid_message")).index === 1,
        "its index",
      );
      const bytes = { role: "user", content: [{ type: "file", data: new Uint8Array(4) }] } as ModelMessage;
      await ensureRefused(planner.append([bytes]), "invalid_message");
      await ensureRefused(planner.append([]), "invalid_request");
      ensure((await store.head(planner.sessionId)).len === 0, "nothing was written");
    }),
    onStore("a message's id is the caller's when given, and used once", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")], { ids: ["m1", "m2"], turnId: "t1" });
      const rows = await planner.rows();
      ensureSame(
        rows.map(({ id, turnId }) => [id, turnId]),
        [
          ["m1", "t1"],
          ["m2", "t1"],
        ],
        "ids and turn",
      );
      await ensureRefused(planner.append([says("c")], { ids: ["m2"] }), "duplicate_message");
      await ensureRefused(planner.append([says("c"), says("d")], { ids: ["x", "x"] }), "duplicate_message");
      await ensureRefused(planner.append([says("c"), says("d")], { ids: ["x"] }), "invalid_request");
    }),
    onStore("what a store hands out is frozen", async ({ store }) => {
      const planner = await actor(store);
      const result = await planner.append([asks("a")]);
      const head = await store.head(planner.sessionId);
      const [row] = await planner.rows();
      const handedOut = {
        result,
        head,
        usage: head.usage.own,
        row,
        body: row?.body,
        content: row?.body.content,
      };
      for (const [name, value] of Object.entries(handedOut))
        ensure(Object.isFrozen(value), `the ${name} is frozen`);
    }),
    onStore("F112: rows already written never change", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")]);
      const before = await planner.rows();
      await turnOf(planner);
      ensureSame((await planner.rows()).slice(0, 2), before, "the first rows");
    }),
  ],
};

async function turnOf(planner: Actor): Promise<void> {
  await planner.append([asks("a")], { runTurn: "t" });
  await planner.append([answers("a")]);
  await planner.update({ runTurn: null, usage: { inputTokens: 10 } });
}

function asked(): ModelMessage {
  const call = { type: "tool-call", toolCallId: "a", toolName: "look", input: {} };
  const request = { type: "tool-approval-request", approvalId: "p", toolCallId: "a" };
  return { role: "assistant", content: [call, request] };
}

function approved(): ModelMessage {
  const content = [{ type: "tool-approval-response", approvalId: "p", approved: true }];
  return { role: "tool", content };
}
