import { actor, rowsOf, says, type Actor, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";
import { upkeepOf } from "./collection-chapter.ts";

/** Deep lineages become shallow, and nobody can tell by their transcripts. Only for stores with `upkeep`. */
export const rebaseChapter: ConformanceChapter = {
  name: "rebase",
  cases: [
    onStore(
      "a fork of a fork of a fork … keeps transcript, ids, digests and boundaries",
      async ({ store }) => {
        const { leaf, texts, digests } = await deepLineage(store, 70);
        await upkeepOf(store).rebase({ sessionId: leaf.sessionId });
        await checkLineage(store, leaf, { texts, digests });
        await leaf.append([says("on")]);
        const child = await leaf.fork("of-the-leaf");
        ensureSame(await textsOf(child), [...texts, "on"], "a fork of what was rebased");
        ensure(
          (await upkeepOf(store).rebase({ sessionId: leaf.sessionId })).sessions === 0,
          "nothing is left to do",
        );
      },
    ),
    onStore("appends go on beside a rebase", async ({ store }) => {
      const planner = await actor(store);
      await manySpans(planner, 40);
      const before = await planner.rows();
      const [report] = await Promise.all([
        upkeepOf(store).rebase({ sessionId: planner.sessionId, stepSize: 1 }),
        planner.append([says("meanwhile")]),
      ]);
      ensure(report.sessions === 1, "it was rebased");
      await planner.append([says("after")]);
      const rows = await planner.rows();
      ensureSame(rows.slice(0, before.length).map(withoutPlace), before.map(withoutPlace), "what was there");
      ensureSame(
        rows.slice(before.length).map(({ body }) => body.content),
        ["meanwhile", "after"],
        "what came",
      );
      ensure(
        (await planner.rows()).every(({ position }, index) => position === index),
        "positions",
      );
    }),
    onStore("compactions, turns, blobs and boundaries are found in what was rebased", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("x".repeat(20_000)), says("b")], { turnId: "t1" });
      await planner.append([says("summary")], { mark: { summarises: 2, keepFrom: 2 } });
      await manySpans(planner, 40);
      const mark = await store.contextMark(planner.sessionId);
      const marked = await planner.rows();
      await upkeepOf(store).rebase();
      ensureSame(await store.contextMark(planner.sessionId), mark, "the mark");
      const byTurn = await planner.fork("by-turn", { at: { turnId: "t1" } });
      const byId = await planner.fork("by-id", { at: { messageId: marked[2]!.id } });
      ensureSame(
        [(await byTurn.rows()).length, (await byId.rows()).length],
        [2, 3],
        "boundaries by turn and id",
      );
      ensureSame((await byTurn.rows())[0]!.body, says("x".repeat(20_000)), "the long body");
    }),
    onStore("S32: a redaction reaches rows that were rebased, from either side", async ({ store }) => {
      const planner = await actor(store);
      const { ids } = await planner.append([says("a long secret")]);
      const child = await planner.fork("child");
      await manySpans(child, 40);
      await upkeepOf(store).rebase({ sessionId: child.sessionId });
      await upkeepOf(store).redact({ sessionId: planner.sessionId, messageIds: [ids[0]!] });
      ensure((await child.rows())[0]!.redacted === true, "the copy goes with its original");
      const second = await child.append([says("another secret")]);
      const grandchild = await child.fork("grandchild");
      await manySpans(grandchild, 40);
      await upkeepOf(store).rebase({ sessionId: grandchild.sessionId });
      await upkeepOf(store).redact({ sessionId: grandchild.sessionId, messageIds: [second.ids[0]!] });
      const at = (await child.rows()).findIndex(({ id }) => id === second.ids[0]);
      ensure((await child.rows())[at]!.redacted === true, "the original goes with its copy");
    }),
    onStore("F113: what a rebase leaves behind is collected, and what it made is not", async ({ store }) => {
      const { leaf, texts, digests } = await deepLineage(store, 40);
      await upkeepOf(store).rebase();
      const { items } = await store.listSessions();
      for (const { id } of items) {
        if (id !== leaf.sessionId) await store.setState(id, { state: "tombstone" });
      }
      const { gone } = await upkeepOf(store).collect({ graceMs: 0 });
      ensure(gone.rows > 0, "the copied rows' originals went");
      await checkLineage(store, leaf, { texts, digests });
    }),
    onStore("a rebase of nobody is refused, of a shallow session nothing happens", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      ensureSame(
        await upkeepOf(store).rebase({ sessionId: planner.sessionId }),
        { sessions: 0, copiedRows: 0 },
        "a shallow one",
      );
      await ensureRefused(upkeepOf(store).rebase({ sessionId: "nobody" }), "unknown_session");
    }),
  ],
};

interface Lineage {
  readonly leaf: Actor;
  readonly texts: string[];
  readonly digests: string[];
}

/** Forks of forks, each with a message of its own. */
async function deepLineage(store: AnyStore, depth: number): Promise<Lineage> {
  let leaf = await actor(store, "m0");
  const texts = ["0"];
  const digests = [(await leaf.append([says("0")])).digest];
  for (let level = 1; level <= depth; level += 1) {
    leaf = await leaf.fork(`m${level}`);
    texts.push(String(level));
    digests.push((await leaf.append([says(String(level))])).digest);
  }
  return { leaf, texts, digests };
}

async function checkLineage(store: AnyStore, leaf: Actor, expected: Omit<Lineage, "leaf">): Promise<void> {
  ensureSame(await textsOf(leaf), expected.texts, "the transcript");
  const rows = await rowsOf(store, leaf.sessionId);
  ensureSame(
    rows.map(({ digest }) => digest),
    expected.digests,
    "the digests",
  );
  const { length } = expected.texts;
  for (const at of [1, Math.floor(length / 2), length]) {
    const { digest } = await store.prefix(leaf.sessionId, at);
    ensureSame(digest, expected.digests[at - 1], `the prefix of ${at}`);
  }
}

/** Own spans by cancels: each takes one message back and puts another in its place. */
async function manySpans(session: Actor, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    const { len } = await session.append([says(`kept ${round}`), says("wrong")]);
    await session.cancel({ to: len - 1 });
  }
}

async function textsOf(session: Actor): Promise<unknown[]> {
  return (await session.rows()).map(({ body }) => body.content);
}

function withoutPlace({
  writer: _writer,
  seq: _seq,
  ...row
}: Awaited<ReturnType<Actor["rows"]>>[number]): object {
  return row;
}
