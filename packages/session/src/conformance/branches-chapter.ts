import { actor, answers, asks, rowsOf, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** A child is its source's prefix, and nothing that either does reaches the other. */
export const branchesChapter: ConformanceChapter = {
  name: "branches",
  cases: [
    onStore(
      "F72–F85: a child's rows are its source's prefix, ids and digests included",
      async ({ store }) => {
        const planner = await actor(store);
        await planner.append([says("a"), asks("x"), answers("x"), says("b")], { turnId: "t1" });
        const child = await planner.fork("child", { at: 3 });
        ensureSame(await child.rows(), (await planner.rows()).slice(0, 3), "the rows");
        for (const at of [0, 1, 2, 3]) {
          const [mine, theirs] = [
            await store.prefix(child.sessionId, at),
            await store.prefix(planner.sessionId, at),
          ];
          ensure(mine.digest === theirs.digest, `the digest at ${at}`);
        }
        const head = await store.head(child.sessionId);
        const { digest } = await store.prefix(planner.sessionId, 3);
        ensureSame(head.parent, { sessionId: planner.sessionId, len: 3, digest }, "the lineage");
        ensureSame([head.baseLen, head.len, head.nextSeq], [3, 3, 3], "the lengths");
      },
    ),
    onStore("F47–F57: a fork leaves the source's rows, head and revision as they are", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")]);
      const before = [await store.head(planner.sessionId), await planner.rows()];
      await planner.fork("child");
      ensureSame([await store.head(planner.sessionId), await planner.rows()], before, "the source");
      await planner.append([says("c")]);
    }),
    onStore("F72–F85: appends to either branch never reach the other", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      const child = await planner.fork("child");
      await planner.append([says("source")]);
      await child.append([says("child"), says("again")]);
      ensureSame(texts(await planner.rows()), ["a", "source"], "the source");
      ensureSame(texts(await child.rows()), ["a", "child", "again"], "the child");
      const [mine, theirs] = [await store.head(child.sessionId), await store.head(planner.sessionId)];
      ensure(mine.headDigest !== theirs.headDigest, "their digests part");
    }),
    onStore("a fork of a fork at k is a fork of the first at k", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b"), says("c")]);
      const child = await planner.fork("child");
      await child.append([says("d"), says("e")]);
      const grandchild = await child.fork("grandchild", { at: 2 });
      const direct = await planner.fork("direct", { at: 2 });
      ensureSame(await grandchild.rows(), await direct.rows(), "the same rows");
      const deep = await child.fork("deep", { at: 4 });
      ensureSame(texts(await deep.rows()), ["a", "b", "c", "d"], "across both writers");
    }),
    onStore("F72–F85: a child is readable after its parent's deletion", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")]);
      const child = await planner.fork("child");
      const before = await child.rows();
      await store.setState(planner.sessionId, { state: "tombstone" });
      ensureSame(await child.rows(), before, "the child's rows");
      ensure(
        (await store.head(child.sessionId)).parent?.sessionId === planner.sessionId,
        "the lineage stays",
      );
      await child.append([says("c")]);
      ensure((await (await child.fork("next")).rows()).length === 3, "it can be forked in turn");
    }),
    onStore("F72–F85: what an append cost is charged to its last message", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says("b")], { usage: { inputTokens: 10 } });
      const costs = [1, 2].map(async (at) => {
        const { session } = await planner.commit(`child-${at}`, { at });
        return session.usage.inherited.inputTokens;
      });
      ensureSame(await Promise.all(costs), [0, 10], "what forks before and behind it inherit");
    }),
    onStore(
      "F72–F85: own usage starts at zero; what the prefix cost is inherited apart",
      async ({ store }) => {
        const planner = await actor(store);
        await planner.append([says("a")], { usage: { inputTokens: 10, outputTokens: 1 } });
        await planner.append([says("b")], { usage: { inputTokens: 20, outputTokens: 2 } });
        const child = await planner.fork("child", { at: 1 });
        const { own, inherited } = (await store.head(child.sessionId)).usage;
        ensureSame(
          [own.inputTokens, inherited.inputTokens, inherited.outputTokens],
          [0, 10, 1],
          "at the fork",
        );
        await child.append([says("c")], { usage: { inputTokens: 5 } });
        const grandchild = await child.fork("grandchild");
        const next = (await store.head(grandchild.sessionId)).usage;
        ensureSame([next.own.inputTokens, next.inherited.inputTokens], [0, 15], "one generation on");
      },
    ),
    onStore("F72–F85: queued input, approvals, turn and lease are not inherited", async ({ store }) => {
      const planner = await actor(store);
      const work = { runTurn: "t1", queuedInputs: 2, pendingApprovals: 1 };
      await planner.append([says("a")], work);
      const { session } = await planner.commit("child", { whileRunning: "settled" });
      ensureSame(
        [session.runTurn, session.queuedInputs, session.pendingApprovals, session.lease.owner],
        [null, 0, 0, null],
        "the child",
      );
    }),
    onStore("a child's request head is its source's", async ({ store }) => {
      const planner = await actor(store);
      const { digest } = await store.blobs.put("system and tools");
      await planner.append([says("a")], { requestHead: digest });
      const { session } = await planner.commit("child");
      ensure(session.requestHead === digest, "inherited");
      await ensureRefused(planner.update({ requestHead: `sha256:${"0".repeat(64)}` }), "blob_missing");
    }),
    onStore("writes to both branches at once all arrive", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      const children = [await planner.fork("c1"), await planner.fork("c2"), planner];
      await Promise.all(children.map((branch) => branch.append([says(branch.member)])));
      for (const branch of children) {
        ensureSame(texts(await rowsOf(store, branch.sessionId)), ["a", branch.member], branch.member);
      }
    }),
  ],
};

function texts(rows: readonly { readonly body: { readonly content: unknown } }[]): unknown[] {
  return rows.map(({ body }) => body.content);
}
