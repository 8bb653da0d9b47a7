import { actor, answers, asks, rowsOf, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** Rolling a turn back. */
export const cancelChapter: ConformanceChapter = {
  name: "cancel",
  cases: [
    onStore("S25: a cancel takes the rows out of the transcript and leaves a mark", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("keep")]);
      const kept = await store.head(planner.sessionId);
      await planner.append([says("drop"), asks("a")]);
      const { digest } = await store.head(planner.sessionId).then((head) => ({ digest: head.headDigest }));
      const result = await planner.cancel({ to: 1, reason: "user" });
      ensureSame([result.len, result.settledLen, result.digest], [1, 1, kept.headDigest], "the result");
      ensureSame((await store.head(planner.sessionId)).openCalls, [], "nothing is open");
      ensure((await planner.rows()).length === 1, "the rows are gone from the transcript");
      const [mark] = await store.cancelMarks(planner.sessionId);
      ensureSame([mark?.from, mark?.to, mark?.digest, mark?.reason], [3, 1, digest, "user"], "the mark");
    }),
    onStore("S25: a row's number is never given again", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b"), says("c")]);
      await planner.cancel({ to: 1, messages: [says("notice")] });
      await planner.append([says("d")]);
      const rows = await planner.rows();
      ensureSame(
        rows.map(({ position }) => position),
        [0, 1, 2],
        "the positions",
      );
      ensureSame(
        rows.map(({ seq }) => seq),
        [0, 3, 4],
        "the numbers",
      );
      ensureSame(
        rows.map(({ body }) => body.content),
        ["a", "notice", "d"],
        "the bodies",
      );
    }),
    onStore("S25: a fork keeps the rows that its source cancels", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b"), says("c")]);
      const child = await planner.fork("child");
      const before = await child.rows();
      await planner.cancel({ to: 1, messages: [says("other")] });
      ensureSame(await child.rows(), before, "the child's rows");
      ensureSame((await store.prefix(child.sessionId, 3)).digest, before[2]?.digest, "the child's digest");
      const later = await planner.fork("later");
      ensureSame(
        (await later.rows()).map(({ body }) => body.content),
        ["a", "other"],
        "a later fork",
      );
      await child.append([says("mine")]);
      ensure((await rowsOf(store, later.sessionId)).length === 2, "forks stand apart");
    }),
    onStore("a cancel stops at boundaries and at the inherited part", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), asks("x", "y"), answers("x"), answers("y")]);
      ensure(
        (await ensureRefused(planner.cancel({ to: 3 }), "invalid_boundary")).reason === "split",
        "a split",
      );
      const beyond = await ensureRefused(planner.cancel({ to: 5 }), "invalid_boundary");
      ensure(beyond.reason === "out_of_range", "beyond the end");
      const child = await planner.fork("child");
      await child.append([says("mine")]);
      const inherited = await ensureRefused(child.cancel({ to: 1 }), "invalid_boundary");
      ensure(inherited.reason === "inherited", "the inherited part");
      ensure((await child.cancel({ to: 4 })).len === 4, "down to the inherited part is allowed");
      ensure((await planner.cancel({ to: 0 })).len === 0, "down to nothing is allowed");
    }),
    onStore("a cancelled id may be used again, and numbers go on", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { ids: ["m1"] });
      await planner.cancel({ to: 0 });
      await planner.append([says("a")], { ids: ["m1"] });
      ensureSame(
        (await planner.rows()).map(({ seq }) => seq),
        [1],
        "the number",
      );
    }),
    onStore("a cancel's own messages may bear the ids that it takes out, and no other", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")], { ids: ["m1", "m2"] });
      await ensureRefused(planner.cancel({ to: 1, messages: [says("c")], ids: ["m1"] }), "duplicate_message");
      await planner.cancel({ to: 1, messages: [says("c")], ids: ["m2"] });
      ensureSame(
        (await planner.rows()).map(({ id, body }) => [id, body.content]),
        [
          ["m1", "a"],
          ["m2", "c"],
        ],
        "the rows",
      );
    }),
  ],
};
