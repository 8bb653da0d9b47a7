import type { ForkCommitRequest } from "../session-forks.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import { actor, answers, asks, says, type Actor, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

type ForkOptions = Partial<ForkCommitRequest<ModelMessage>>;

/** Where a fork may begin and which sources can be forked. */
export const boundaryChapter: ConformanceChapter = {
  name: "fork boundaries and sources",
  cases: [
    onStore(
      "F58–F71: every length with nothing open is a boundary, every other is a split",
      async ({ store }) => {
        const planner = await talk(store);
        const legal = [1, 2, 5, 6];
        for (const at of [1, 2, 3, 4, 5, 6]) {
          const prefix = await store.prefix(planner.sessionId, at);
          ensure((prefix.openAfter === 0) === legal.includes(at), `the open count at ${at}`);
          if (legal.includes(at)) {
            const { session } = await planner.commit(`c${at}`, { at });
            ensureSame([session.len, session.headDigest], [at, prefix.digest], `the fork at ${at}`);
            continue;
          }
          const { reason, nearestBefore, nearestAfter } = await refused(planner, { at });
          ensureSame([reason, nearestBefore, nearestAfter], ["split", 2, 5], `the refusal at ${at}`);
        }
      },
    ),
    onStore("F58–F71: an omitted boundary is the exact end at the time of the commit", async ({ store }) => {
      const planner = await talk(store);
      await planner.append([says("more")]);
      const { session, operation } = await planner.commit("child");
      ensureSame([session.len, operation.source.len], [7, 7], "the whole transcript");
    }),
    onStore(
      "F58–F71: an omitted boundary at an open call is refused with the settled length",
      async ({ store }) => {
        const planner = await actor(store);
        await planner.append([says("go"), asks("a")]);
        const { reason, settledLen, nearestAfter } = await refused(planner, {});
        ensureSame([reason, settledLen, nearestAfter], ["split", 1, null], "the refusal");
        ensure((await planner.commit("child", { at: "settled" })).session.len === 1, "settled is allowed");
      },
    ),
    onStore("F58–F71: a message or a turn names the boundary behind it", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { ids: ["m1"], turnId: "t1" });
      await planner.append([says("b"), says("c")], { ids: ["m2", "m3"], turnId: "t2" });
      await planner.append([says("d")], { turnId: "t3" });
      ensure(
        (await planner.commit("c1", { at: { messageId: "m2" } })).session.len === 2,
        "after the message",
      );
      ensure((await planner.commit("c2", { at: { turnId: "t2" } })).session.len === 3, "after the turn");
      const { reason } = await refused(planner, { at: { messageId: "nobody" } });
      ensure(reason === "unknown_message", "an unknown message");
      ensure(
        (await refused(planner, { at: { turnId: "nobody" } })).reason === "unknown_turn",
        "an unknown turn",
      );
      await planner.cancel({ to: 1 });
      const gone = await refused(planner, { at: { messageId: "m2" } });
      ensure(gone.reason === "unknown_message", "a cancelled message is unknown");
    }),
    onStore("F58–F71: counts beyond the end, halves and negatives are refused", async ({ store }) => {
      const planner = await talk(store);
      const { reason, len } = await refused(planner, { at: 7 });
      ensureSame([reason, len], ["out_of_range", 6], "beyond the end");
      await ensureRefused(planner.commit("child", { at: -1 }), "invalid_request");
      await ensureRefused(planner.commit("child", { at: 1.5 }), "invalid_request");
    }),
    onStore("F58–F71: nothing is forked only when that is allowed", async ({ store }) => {
      const planner = await talk(store);
      ensure((await refused(planner, { at: 0 })).reason === "empty", "count 0");
      const { session } = await planner.commit("child", { at: 0, allowEmpty: true });
      ensureSame([session.len, session.usage.inherited.inputTokens], [0, 0], "an empty fork");
      const { digest } = await store.prefix(planner.sessionId, 0);
      ensure(session.headDigest === digest, "the digest of nothing");
    }),
    onStore("F58–F71: an expectation that no longer holds is refused", async ({ store }) => {
      const planner = await talk(store);
      const { digest } = await store.prefix(planner.sessionId, 2);
      await planner.commit("c1", { at: 2, expect: { digest, rev: planner.rev } });
      const wrongDigest = await refused(planner, { at: 1, expect: { digest } });
      ensure(wrongDigest.reason === "revision_changed", "another digest");
      const wrongRev = await refused(planner, { at: 2, expect: { rev: planner.rev - 1 } });
      ensure(wrongRev.reason === "revision_changed", "another revision");
    }),
    onStore(
      "F47–F57: a running source is refused, and forked at its settled length on demand",
      async ({ store }) => {
        const planner = await talk(store);
        await planner.append([asks("z")], { runTurn: "t1" });
        ensureSame(
          await ensureRefused(planner.commit("child"), "source_unavailable"),
          { sessionId: planner.sessionId, cause: "running", settledLen: 6 },
          "the refusal",
        );
        const { session } = await planner.commit("child", { whileRunning: "settled" });
        ensure(session.len === 6, "the settled length; a call that forks itself is not included");
        await ensureRefused(planner.commit("other", { at: 7, whileRunning: "settled" }), "fork_boundary");
      },
    ),
    onStore(
      "F47–F57: queued input and a pending approval are running, a held lease is not",
      async ({ store }) => {
        const planner = await talk(store);
        await planner.commit("c1");
        await store.adjustWork(planner.sessionId, { queuedInputs: 1 });
        ensure((await unavailable(planner)) === "running", "queued input");
        await store.adjustWork(planner.sessionId, { queuedInputs: -1, pendingApprovals: 1 });
        ensure((await unavailable(planner)) === "running", "a pending approval");
        await store.adjustWork(planner.sessionId, { pendingApprovals: -1 });
        await planner.commit("c2");
      },
    ),
    onStore(
      "F47–F57: archived, quarantined, unseated and foreign sources are refused by name",
      async ({ store }) => {
        const planner = await talk(store);
        for (const state of ["archived", "quarantined"] as const) {
          await store.setState(planner.sessionId, { state });
          ensure((await unavailable(planner)) === state, `an ${state} source`);
        }
        await store.setState(planner.sessionId, { state: "ready" });
        const source = { member: "somebody", sessionId: planner.sessionId };
        await ensureRefused(planner.commit("child", { source }), "unknown_member");
        const nowhere = { member: planner.member, sessionId: "nobody" };
        await ensureRefused(planner.commit("child", { source: nowhere }), "unknown_session");
        const { session } = await planner.commit("unseated");
        const pending = { member: "unseated", sessionId: session.id };
        const { cause } = await ensureRefused(planner.commit("x", { source: pending }), "source_unavailable");
        ensure(cause === "pending", "an unseated fork");
      },
    ),
    onStore(
      "an inspection answers the commit's boundary, refuses as it would, and writes nothing",
      async ({ store }) => {
        const planner = await talk(store);
        const source = { member: planner.member, sessionId: planner.sessionId };
        const prefix = await store.forks.inspect({ source, at: 2 });
        ensureSame(prefix, await store.prefix(planner.sessionId, 2), "the prefix");
        await ensureRefused(store.forks.inspect({ source, at: 3 }), "fork_boundary");
        ensure((await store.operations.list()).items.length === 0, "no operation was written");
        ensure((await store.listSessions()).items.length === 1, "no session was written");
      },
    ),
  ],
};

/** user · assistant · assistant asking twice · two results · user: nothing is open at 1, 2, 5 and 6. */
async function talk(store: AnyStore): Promise<Actor> {
  const planner = await actor(store);
  const assistant: ModelMessage = { role: "assistant", content: "well" };
  await planner.append([says("go"), assistant, asks("a", "b"), answers("a"), answers("b"), says("thanks")]);
  return planner;
}

function refused(source: Actor, options: ForkOptions) {
  return ensureRefused(source.commit("refused", options), "fork_boundary");
}

async function unavailable(source: Actor): Promise<string> {
  return (await ensureRefused(source.commit("refused"), "source_unavailable")).cause;
}
