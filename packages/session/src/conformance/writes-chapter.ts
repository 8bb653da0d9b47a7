import { actor, answers, asks, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** Revisions, write ids, and what a write changes beside the transcript. */
export const writesChapter: ConformanceChapter = {
  name: "fenced writes",
  cases: [
    onStore("F109: a write on an old revision is refused and changes nothing", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      const stale = planner.append([says("b")], { expectedRev: 0 });
      ensureSame(
        await ensureRefused(stale, "revision_conflict"),
        { sessionId: planner.sessionId, expected: 0, actual: 1 },
        "the refusal",
      );
      await ensureRefused(planner.append([says("b")], { expectedRev: 2 }), "revision_conflict");
      ensure((await planner.rows()).length === 1, "nothing was written");
      await planner.append([says("b")]);
    }),
    onStore("F109: of two writers with one revision exactly one writes", async ({ store }) => {
      const planner = await actor(store);
      const terms = { lease: planner.lease, expectedRev: 0 };
      const outcomes = await Promise.allSettled(
        ["a", "b", "c", "d"].map((text) =>
          store.append(planner.sessionId, { ...terms, messages: [says(text)] }),
        ),
      );
      ensure(outcomes.filter(({ status }) => status === "fulfilled").length === 1, "one writer wins");
      ensure((await store.head(planner.sessionId)).len === 1, "one row was written");
    }),
    onStore("S27: the same write id and content answers the first result", async ({ store }) => {
      const planner = await actor(store);
      const first = await planner.append([says("a")], { writeId: "w1" });
      await planner.append([says("b")]);
      const again = await planner.append([says("a")], { writeId: "w1", expectedRev: 0 });
      ensureSame(again, { ...first, replayed: true }, "the retry's answer");
      ensure((await planner.rows()).length === 2, "it was written once");
    }),
    onStore("S27: a retry is answered even after the lease was lost", async ({ store }) => {
      const planner = await actor(store);
      const first = await planner.append([says("a")], { writeId: "w1" });
      await store.releaseLease(planner.lease);
      ensureSame(
        await planner.append([says("a")], { writeId: "w1", expectedRev: 0 }),
        { ...first, replayed: true },
        "the retry's answer",
      );
      await ensureRefused(planner.append([says("b")], { writeId: "w2" }), "stale_fence");
    }),
    onStore("S27: a write id that stood for something else is refused", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { writeId: "w1" });
      await ensureRefused(planner.append([says("b")], { writeId: "w1" }), "write_id_conflict");
      await ensureRefused(planner.update({ runTurn: "t", writeId: "w1" }), "write_id_conflict");
      ensure((await planner.rows()).length === 1, "nothing was written");
    }),
    onStore("S27: the last 256 writes of a session are remembered", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { writeId: "first" });
      for (let n = 1; n < 256; n += 1) await planner.update({ writeId: `w${n}` });
      const again = await planner.append([says("a")], { writeId: "first" });
      ensureSame([again.replayed, again.len], [true, 1], "the oldest of them");
    }),
    onStore("a refused write doesn't use its id up", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([asks("a")]);
      await ensureRefused(planner.append([says("b")], { writeId: "w1" }), "open_calls");
      await planner.append([answers("a")]);
      const late = await planner.append([says("b")], { writeId: "w1" });
      ensure(!late.replayed && late.len === 3, "it is written now");
    }),
    onStore("turn, counts and usage change in the same write as the rows", async ({ store }) => {
      const planner = await actor(store);
      const usage = { inputTokens: 7, outputTokens: 2 };
      await planner.append([says("a")], { runTurn: "t1", queuedInputs: 2, pendingApprovals: 1, usage });
      const head = await store.head(planner.sessionId);
      ensureSame(
        [head.runTurn, head.queuedInputs, head.pendingApprovals, head.usage.own.inputTokens],
        ["t1", 2, 1, 7],
        "the facts",
      );
      await planner.update({ runTurn: null, queuedInputs: -2, pendingApprovals: -1, usage });
      const after = await store.head(planner.sessionId);
      ensureSame(
        [after.runTurn, after.queuedInputs, after.pendingApprovals, after.usage.own.outputTokens, after.rev],
        [null, 0, 0, 4, 2],
        "the facts after",
      );
      await ensureRefused(planner.update({ queuedInputs: -1 }), "invalid_request");
    }),
    onStore("waiting work is counted without a lease and without a new revision", async ({ store }) => {
      const planner = await actor(store);
      const counts = await store.adjustWork(planner.sessionId, { queuedInputs: 1, writeId: "q1" });
      ensureSame(counts, { queuedInputs: 1, pendingApprovals: 0 }, "the counts");
      ensureSame(
        await store.adjustWork(planner.sessionId, { queuedInputs: 1, writeId: "q1" }),
        counts,
        "a retry counts once",
      );
      await ensureRefused(
        store.adjustWork(planner.sessionId, { queuedInputs: 2, writeId: "q1" }),
        "write_id_conflict",
      );
      await ensureRefused(store.adjustWork(planner.sessionId, { pendingApprovals: -1 }), "invalid_request");
      await planner.append([says("a")], { queuedInputs: -1 });
      ensure((await store.head(planner.sessionId)).queuedInputs === 0, "the owner took it");
    }),
    onStore("S28: what a join throws undoes the whole write", async ({ store }) => {
      const planner = await actor(store);
      const before = await store.head(planner.sessionId);
      const failed = await planner
        .append([says("a")], {
          runTurn: "t",
          writeId: "w1",
          events: [{ key: "k", kind: "told", payload: 1 }],
          sideState: [{ kind: "todo", onFork: "copy", value: 1 }],
          join: () => {
            throw new Error("approval is gone");
          },
        })
        .catch((error: unknown) => error);
      ensure(
        failed instanceof Error && failed.message === "approval is gone",
        "the join's own error arrives",
      );
      ensureSame(await store.head(planner.sessionId), before, "the head is unchanged");
      ensure((await planner.rows()).length === 0, "no row was written");
      ensure((await store.outbox.list()).items.length === 0, "no event was written");
      ensure((await store.sideState(planner.sessionId, "todo")) === undefined, "no side state was written");
      ensure(!(await planner.append([says("a")], { writeId: "w1" })).replayed, "its write id is free");
    }),
    onStore("S28: a join runs once, after the checks, and not for a replay", async ({ store }) => {
      const planner = await actor(store);
      const runs: string[] = [];
      const join = (): void => void runs.push("joined");
      await ensureRefused(planner.append([says("a")], { join, expectedRev: 9 }), "revision_conflict");
      ensureSame(runs, [], "a refused write doesn't join");
      await planner.append([says("a")], { join, writeId: "w1" });
      await planner.append([says("a")], { join, writeId: "w1" });
      ensureSame(runs, ["joined"], "it ran once");
    }),
  ],
};
