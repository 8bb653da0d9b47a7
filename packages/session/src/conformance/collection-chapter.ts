import { canonicalJson } from "@basis/core";
import { blobDigest } from "../message-body.ts";
import type { CollectRequest, StoreUpkeep } from "../upkeep.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import { actor, says, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type Bench, type ConformanceChapter } from "./case.ts";

const GRACE = { graceMs: 1000 } as const;
const big = (letter: string): string => letter.repeat(20_000);

/** What nobody reaches goes, a grace after it was found; what anybody reaches stays. Only for stores with `upkeep`. */
export const collectionChapter: ConformanceChapter = {
  name: "collection",
  cases: [
    onStore("F113: a deleted parent leaves its children whole", async (bench) => {
      const { store } = bench;
      const planner = await actor(store);
      await planner.append([says("a"), says(big("b")), says("c")]);
      const child = await planner.fork("child", { at: 2 });
      const before = await child.rows();
      await store.setState(planner.sessionId, { state: "tombstone" });
      const { gone } = await collectTwice(bench);
      ensureSame([gone.rows, gone.blobs], [1, 0], "what went: the row behind the fork");
      ensureSame(await child.rows(), before, "the child's transcript");
      await child.append([says("on")]);
      const grandchild = await child.fork("grandchild");
      ensure((await grandchild.rows()).length === 3, "the child can be forked");
      ensure((await store.head(child.sessionId)).parent?.sessionId === planner.sessionId, "its lineage");
      await ensureRefused(store.prefix(planner.sessionId, 1), "session_unavailable");
    }),
    onStore("F113: rows that a cancel took out go, unless a fork holds them", async (bench) => {
      const planner = await actor(bench.store);
      await planner.append([says("a"), says("b"), says("c")]);
      const child = await planner.fork("child", { at: 2 });
      await planner.cancel({ to: 0, messages: [says("anew")] });
      const { gone } = await collectTwice(bench);
      ensure(gone.rows === 1, `one row went, not ${gone.rows}`);
      ensureSame([(await planner.rows()).length, (await child.rows()).length], [1, 2], "both read on");
    }),
    onStore(
      "F113: a read whose rows are collected meanwhile is refused, and never comes out short",
      async (bench) => {
        const { store } = bench;
        const planner = await actor(store);
        const keeper = await actor(store, "keeper");
        for (const each of [planner, keeper]) await each.append([says("a"), says("b"), says("c")]);
        const reading = [planner, keeper].map(({ sessionId }) =>
          store.read(sessionId, { pageSize: 1 })[Symbol.asyncIterator](),
        );
        for (const rows of reading) await rows.next();
        await store.setState(planner.sessionId, { state: "tombstone" });
        await collectTwice(bench);
        await ensureRefused(reading[0]!.next(), "session_unavailable");
        ensureSame((await reading[1]!.next()).value?.position, 1, "what is still there is read on");
      },
    ),
    onStore("S31: collection marks twice, a grace apart", async (bench) => {
      const { store, clock } = bench;
      const planner = await actor(store);
      await planner.append([says("abc")]);
      await planner.cancel({ to: 0 });
      const blob = await store.blobs.put("loose");
      const nothing = { rows: 0, blobs: 0, bytes: 0 };
      for (const pause of [0, 999]) {
        clock.advance(pause);
        const report = await collect(store, GRACE);
        ensureSame(report.gone, nothing, "nothing goes within the grace");
        ensureSame([report.waiting.rows, report.waiting.blobs], [1, 1], "both wait");
      }
      ensure((await store.blobs.get(blob.digest)) !== undefined, "the blob is there");
      clock.advance(1);
      const { gone, waiting } = await collect(store, GRACE);
      ensureSame([gone.rows, gone.blobs, waiting], [1, 1, nothing], "both go");
      ensure((await store.blobs.get(blob.digest)) === undefined, "the blob is gone");
      ensureSame((await collect(store, { graceMs: 0 })).gone, nothing, "nothing goes twice");
    }),
    onStore("S31: a blob that is put again has its grace again", async (bench) => {
      const { store, clock } = bench;
      await store.blobs.put("late");
      await collect(store, GRACE);
      clock.advance(1000);
      const { digest } = await store.blobs.put("late");
      ensure((await collect(store, GRACE)).gone.blobs === 0, "its mark was taken off");
      const planner = await actor(store);
      await planner.append([says("a")], { blobs: [digest] });
      clock.advance(1000);
      await collect(store, GRACE);
      ensure((await store.blobs.get(digest)) !== undefined, "a referred blob stays");
    }),
    onStore("S31: a reference that is written while a collection decides keeps its blob", async (bench) => {
      const { store, clock } = bench;
      const planner = await actor(store);
      const { digest } = await store.blobs.put("late");
      await collect(store, GRACE);
      clock.advance(1000);
      const holds = async (): Promise<string[]> => {
        await planner.append([says("a")], { blobs: [digest] });
        return [];
      };
      ensure((await collect(store, { ...GRACE, holds })).gone.blobs === 0, "it stays");
      ensure((await store.blobs.get(digest)) !== undefined, "it can be read");
    }),
    onStore("S31: while the host does not tell what it holds, nothing goes", async ({ store }) => {
      const { digest } = await store.blobs.put("held");
      const unclear = [undefined, null, digest, 7, [{ digest }], [undefined]] as never[];
      for (const answer of unclear) {
        const asked = collect(store, { graceMs: 0, holds: () => answer });
        const refused = await ensureRefused(asked, "invalid_request");
        ensureSame(refused.field, "holds", "the field that the refusal names");
      }
      const late = new AbortController();
      const holds = (): Promise<never> => {
        late.abort(new Error("enough"));
        return new Promise(() => undefined);
      };
      const given = await collect(store, { graceMs: 0, holds, signal: late.signal }).catch(
        (error: Error) => error,
      );
      ensure(given instanceof Error && given.message === "enough", "the signal ends the wait");
      ensure((await store.blobs.get(digest)) !== undefined, "the blob stays");
      const { gone } = await collect(store, { graceMs: 0, holds: () => new Set<string>() });
      ensure(gone.blobs === 1, "a set of none lets it go");
    }),
    onStore("S31: heads, waiting events, side state and what the host holds keep blobs", async (bench) => {
      const { store } = bench;
      const planner = await actor(store);
      const [head, told, noted, parked, asked, loose] = await Promise.all(
        ["head", "told", "noted", "parked", "asked", "loose"].map((text) => store.blobs.put(text)),
      );
      await planner.append([says("a")], {
        requestHead: head!.digest,
        events: [{ key: "k", kind: "told", payload: { result: `see ${told!.digest}` } }],
        sideState: [{ kind: "board", onFork: "share", value: [noted!.digest] }],
      });
      await planner.commit("child", { request: { file: asked!.digest } });
      const held: string[] = [];
      const holds = (digests: readonly string[]): string[] => {
        held.push(...digests);
        return [parked!.digest];
      };
      const { gone } = await collectTwice(bench, { holds });
      ensure(gone.blobs === 1, `one blob went, not ${gone.blobs}`);
      ensure(held.includes(parked!.digest) && !held.includes(head!.digest), "the host is asked for the rest");
      for (const { digest } of [head!, told!, noted!, parked!, asked!]) {
        ensure((await store.blobs.get(digest)) !== undefined, "what is held stays");
      }
      ensure((await store.blobs.get(loose!.digest)) === undefined, "what isn't goes");
    }),
    onStore(
      "a consumed event is forgotten with its key after seven days, and a waiting one never",
      async (bench) => {
        const { store, clock } = bench;
        const planner = await actor(store);
        const told = (key: string) => ({ key, kind: "told", payload: key });
        await planner.append([says("a")], { events: [told("consumed"), told("waiting"), told("last")] });
        const list = async (): Promise<unknown[]> =>
          (await store.outbox.list({ kind: "told" })).items.map(({ payload }) => payload);
        const { items } = await store.outbox.list({ kind: "told" });
        for (const { id, key } of items) if (key !== "waiting") await store.outbox.consume(id);
        clock.advance(7 * DAY_MS - 1);
        await collect(store, {});
        await planner.update({ events: [told("consumed"), told("waiting")] });
        ensureSame(await list(), ["waiting"], "within seven days a key stays used");
        clock.advance(1);
        await collect(store, { dryRun: true });
        await planner.update({ events: [told("consumed")] });
        ensureSame(await list(), ["waiting"], "a dry run forgets nothing");
        await collect(store, { stepSize: 1 });
        await planner.update({ events: [told("consumed"), told("waiting")] });
        ensureSame(await list(), ["waiting", "consumed"], "afterwards it may be written anew");
        const ids = (await store.outbox.list()).items.map(({ id }) => id);
        ensure(!items.some(({ id, key }) => key !== "waiting" && ids.includes(id)), "no id is given again");
      },
    ),
    onStore("a dry run tells what would go, and touches nothing", async (bench) => {
      const { store, clock } = bench;
      const planner = await actor(store);
      const body = says(big("x"));
      await planner.append([body, says("b")]);
      await store.setState(planner.sessionId, { state: "tombstone" });
      const first = await collect(store, { ...GRACE, dryRun: true });
      ensureSame([first.gone.rows, first.waiting.rows, first.waiting.blobs], [0, 2, 1], "the first look");
      clock.advance(1000);
      ensure((await collect(store, { ...GRACE, dryRun: true })).gone.rows === 0, "it left no mark");
      const now = await collect(store, { graceMs: 0, dryRun: true });
      ensureSame([now.dryRun, now.gone.rows], [true, 2], "without a grace both would go now");
      ensure((await store.blobs.get(blobDigest(canonicalJson(body)))) !== undefined, "all is there");
      ensure((await collect(store, { graceMs: 0 })).gone.rows === 2, "and goes when it is meant");
    }),
    onStore(
      "collection goes on in small steps beside writes, and stops when it is told to",
      async (bench) => {
        const { store } = bench;
        const planner = await actor(store);
        for (let round = 0; round < 3; round += 1) {
          await planner.append(Array.from({ length: 10 }, (_, index) => says(`${round} ${index}`)));
          if (round < 2) await planner.cancel({ to: 0 });
        }
        const stopped = AbortSignal.abort(new Error("enough"));
        const refused = await collect(store, { graceMs: 0, signal: stopped }).catch(
          (error: unknown) => error,
        );
        ensure(refused === stopped.reason, "a stopped collection rejects with the reason");
        const [report] = await Promise.all([
          collect(store, { graceMs: 0, stepSize: 3 }),
          planner.append([says("meanwhile")]),
        ]);
        ensure(report.gone.rows === 20, `twenty rows went, not ${report.gone.rows}`);
        ensure((await planner.rows()).length === 11, "the transcript is whole");
        await ensureRefused(collect(store, { stepSize: 0 }), "invalid_request");
        await ensureRefused(collect(store, { graceMs: -1 }), "invalid_request");
      },
    ),
  ],
};

const DAY_MS = 86_400_000;

/** The upkeep of a store that has it. */
export function upkeepOf(store: AnyStore): StoreUpkeep<ModelMessage, never> {
  ensure(store.upkeep !== undefined, "a store of this chapter has upkeep");
  return store.upkeep;
}

async function collect(store: AnyStore, request: CollectRequest): ReturnType<StoreUpkeep<never>["collect"]> {
  return upkeepOf(store).collect(request);
}

async function collectTwice(bench: Bench, request: CollectRequest = {}): ReturnType<typeof collect> {
  await collect(bench.store, { ...GRACE, ...request });
  bench.clock.advance(1000);
  return collect(bench.store, { ...GRACE, ...request });
}
