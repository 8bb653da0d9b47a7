import type { ModelMessage } from "../model-message-shape.ts";
import type { SessionChange } from "../session-write.ts";
import { actor, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** What no type checker would let through, each by the field that the refusal names. */
const malformed: Readonly<Record<string, { readonly [field: string]: unknown }>> = {
  lease: { lease: undefined },
  "lease.epoch": { lease: { sessionId: "s", owner: "o", epoch: "1" } },
  expectedRev: { expectedRev: Number.NaN },
  writeId: { writeId: "" },
  runTurn: { runTurn: 5 },
  requestHead: { requestHead: 5 },
  queuedInputs: { queuedInputs: 0.5 },
  usage: { usage: 5 },
  "usage.inputTokens": { usage: { inputTokens: "5" } },
  "usage.tokens": { usage: { tokens: 5 } },
  "sideState.onFork": { sideState: [{ kind: "plan", onFork: "move", value: 1 }] },
  "sideState.plan": { sideState: [{ kind: "plan", onFork: "copy", value: holed() }] },
  sideState: { sideState: "plan" },
  events: { events: [null] },
  "events.k": { events: [{ key: "k", kind: "told", payload: { when: new Date(0) } }] },
  consumes: { consumes: "event" },
  join: { join: "later" },
};

/** An array that is JSON in its length only. */
function holed(): never {
  const array: number[] = [1];
  array[2] = 3;
  return array as never;
}

/** Requests that no store could carry out. */
export const requestsChapter: ConformanceChapter = {
  name: "malformed requests",
  cases: [
    onStore(
      "a write that is malformed is refused by its field, and nothing of it is kept",
      async ({ store }) => {
        const planner = await actor(store);
        const before = await store.head(planner.sessionId);
        for (const [field, change] of Object.entries(malformed)) {
          const asked = change as Partial<SessionChange<never>>;
          const refused = await ensureRefused(planner.update({ runTurn: "t", ...asked }), "invalid_request");
          ensureSame(refused.field, field, "the field that the refusal names");
        }
        ensureSame(await store.head(planner.sessionId), before, "the session");
        ensure((await planner.update({ runTurn: "t" })).rev === 1, "a sound one is carried out");
      },
    ),
    onStore("lists of ids and blobs are lists of texts, a mark and usage are objects", async ({ store }) => {
      const planner = await actor(store);
      const lists = [{ ids: "m" }, { ids: [1] }, { blobs: "b" }, { blobs: [1] }, { messages: {} }];
      for (const beside of [...lists, { mark: null }, { usage: null }, { usage: [] }]) {
        await ensureRefused(planner.append([says("a")], beside as never), "invalid_request");
      }
      ensure((await planner.append([says("a")], { ids: ["m"], blobs: [] })).rev === 1, "sound ones pass");
    }),
    onStore("an array with holes is no message, and the transcript stays readable", async ({ store }) => {
      const planner = await actor(store);
      const message: ModelMessage = { ...says("a"), providerOptions: { list: holed() } };
      await ensureRefused(planner.append([message]), "invalid_message");
      await planner.append([{ ...says("a"), providerOptions: { list: [1, null, 3] } }]);
      ensure((await planner.rows()).length === 1, "the rows");
    }),
    onStore("what a write id stands for is what was asked, not what came along", async ({ store }) => {
      const planner = await actor(store);
      const foreign = { note: () => 1, writeId: "w1" } as never;
      await planner.append([says("a")], foreign);
      ensure((await planner.append([says("a")], foreign)).replayed, "the repetition");
      await ensureRefused(planner.append([says("b")], foreign), "write_id_conflict");
    }),
    onStore("a name that is no text names nothing", async ({ store }) => {
      const planner = await actor(store);
      for (const name of [undefined, null, 7, {}] as never[]) {
        await ensureRefused(store.head(name), "unknown_session");
        await ensureRefused(store.members.retire(name), "unknown_member");
        const found = [
          await store.members.get(name),
          await store.members.holder(name),
          await store.operations.get(name),
          await store.operations.ofSession(name),
          await store.operations.ofKey(name),
          await store.blobs.get(name),
          await store.sideState(planner.sessionId, name),
        ];
        ensure(
          found.every((each) => each === undefined),
          "nothing is found",
        );
        ensure(!(await store.outbox.consume(name)), "no event is consumed");
      }
      ensure((await store.head(planner.sessionId)).len === 0, "the session's own id names it");
    }),
    onStore("leases, labels, cursors and blobs are what they must be", async ({ store }) => {
      const planner = await actor(store);
      await ensureRefused(store.renewLease(undefined as never), "invalid_request");
      await ensureRefused(store.releaseLease({} as never), "invalid_request");
      const labels = "abc" as never;
      await ensureRefused(store.createSession({ member: "b", role: "r", labels }), "invalid_request");
      await ensureRefused(store.outbox.list({ after: "x" }), "invalid_request");
      for (const content of [5, "\ud800", null] as never[]) {
        await ensureRefused(store.blobs.put(content), "invalid_request");
      }
      ensure((await store.blobs.put("ä")).bytes === 2, "a text is kept");
      ensure(await store.releaseLease(planner.lease), "the lease is given back");
    }),
    onStore("a boundary has one name; one that is undefined is none", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says("a")], { turnId: "t" });
      const both = { messageId: ids[0]!, turnId: "t" } as never;
      await ensureRefused(planner.commit("child", { at: both }), "invalid_request");
      await ensureRefused(planner.commit("child", { at: null as never }), "invalid_request");
      const one = { messageId: undefined, turnId: "t" } as never;
      ensure((await planner.commit("child", { at: one })).session.baseLen === 1, "the turn's end");
    }),
  ],
};
