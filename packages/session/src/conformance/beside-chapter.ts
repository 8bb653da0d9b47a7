import { canonicalJson } from "@basis/core";
import { blobDigest } from "../message-body.ts";
import { actor, answers, asks, says } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

const big = (letter: string): string => letter.repeat(20_000);

/** Blobs, side state, compaction marks and the outbox. */
export const besideChapter: ConformanceChapter = {
  name: "beside the transcript",
  cases: [
    onStore("F72–F85: a body over 16 KiB comes back whole, also in a fork", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says(big("x")), says("small"), says(big("é"))]);
      const child = await planner.fork("child");
      const [first, , third] = await child.rows();
      ensureSame([first?.body, third?.body], [says(big("x")), says(big("é"))], "the bodies");
    }),
    onStore(
      "a body over 16 KiB is a blob of its canonical text, a shorter one is none",
      async ({ store }) => {
        const planner = await actor(store);
        const [long, short] = [says("x".repeat(16_384)), says("y".repeat(16_000))];
        await planner.append([long, short]);
        const blobs = [long, short].map((message) => store.blobs.get(blobDigest(canonicalJson(message))));
        const [kept, none] = await Promise.all(blobs);
        ensureSame(JSON.parse(new TextDecoder().decode(kept)), long, "the blob of the long one");
        ensure(none === undefined, "the short one has none");
      },
    ),
    onStore("a blob is found by its digest, whether text or bytes", async ({ store }) => {
      const text = await store.blobs.put("héllo");
      const bytes = await store.blobs.put(new TextEncoder().encode("héllo"));
      ensureSame(text, bytes, "content alone decides the digest");
      ensure(text.bytes === 6, "its size in bytes");
      const found = await store.blobs.get(text.digest);
      ensure(found !== undefined && new TextDecoder().decode(found) === "héllo", "its content");
      ensure((await store.blobs.get("sha256:none")) === undefined, "an unknown digest has none");
    }),
    onStore("S31: an append that names a blob needs it to be there", async ({ store }) => {
      const planner = await actor(store);
      const missing = `sha256:${"0".repeat(64)}`;
      const refused = planner.append([says("a")], { blobs: [missing] });
      ensureSame(await ensureRefused(refused, "blob_missing"), { digest: missing }, "the refusal");
      const { digest } = await store.blobs.put("whole result");
      await planner.append([says("a")], { blobs: [digest] });
    }),
    onStore("F72–F85: a missing blob refuses a fork before its commit", async (bench) => {
      const { store, loseBlob } = bench;
      const planner = await actor(store);
      const { digest } = await store.blobs.put("whole result");
      await planner.append([says("a")]);
      await planner.append([says("b")], { blobs: [digest] });
      if (loseBlob === undefined) return;
      await loseBlob(digest);
      await ensureRefused(planner.commit("child"), "blob_missing");
      ensure((await store.members.holder("child")) === undefined, "nothing was written");
      await planner.commit("child", { at: 1 });
    }),
    onStore("side state is shared, copied or left out by a fork, as it was written", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], {
        sideState: [
          { kind: "board", onFork: "share", value: { n: 1 } },
          { kind: "todo", onFork: "copy", value: ["x"] },
          { kind: "cursor", onFork: "reset", value: 7 },
        ],
      });
      const { operation } = await planner.commit("other");
      ensureSame(operation.sideStateReset, ["cursor"], "what the child starts without");
      const child = await planner.fork("child");
      ensureSame((await store.sideState(child.sessionId, "todo"))?.value, ["x"], "copied");
      ensure((await store.sideState(child.sessionId, "cursor")) === undefined, "left out");
      await child.update({ sideState: [{ kind: "board", onFork: "share", value: { n: 2 } }] });
      await child.update({ sideState: [{ kind: "todo", onFork: "copy", value: ["y"] }] });
      ensureSame((await store.sideState(planner.sessionId, "board"))?.value, { n: 2 }, "shared both ways");
      ensureSame((await store.sideState(planner.sessionId, "todo"))?.value, ["x"], "the source's own copy");
    }),
    onStore("S33: side state written beyond the boundary is not copied back in time", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")], { sideState: [{ kind: "early", onFork: "copy", value: 1 }] });
      await planner.append([says("b")], { sideState: [{ kind: "late", onFork: "copy", value: 1 }] });
      const { operation, session } = await planner.commit("child", { at: 1 });
      ensureSame(operation.sideStateReset, ["late"], "what the child starts without");
      ensure((await store.sideState(session.id, "early"))?.value === 1, "the earlier one is there");
      ensure((await store.sideState(session.id, "late")) === undefined, "the later one isn't");
    }),
    onStore("side state refuses a version that isn't the present one", async ({ store }) => {
      const planner = await actor(store);
      const write = { kind: "todo", onFork: "copy", value: 1 } as const;
      await planner.update({ sideState: [{ ...write, expectedVersion: 0 }] });
      ensure((await store.sideState(planner.sessionId, "todo"))?.version === 1, "the first version");
      await ensureRefused(
        planner.update({ sideState: [{ ...write, expectedVersion: 0 }] }),
        "revision_conflict",
      );
      await planner.update({ sideState: [{ ...write, expectedVersion: 1 }] });
    }),
    onStore(
      "S33: a compaction belongs to its summary row and is seen where that row is",
      async ({ store }) => {
        const planner = await actor(store);
        await planner.append([says("a"), says("b"), says("c")]);
        await planner.append([says("summary")], { mark: { summarises: 2, keepFrom: 2 } });
        const mark = await store.contextMark(planner.sessionId);
        ensureSame([mark?.position, mark?.summarises, mark?.keepFrom], [3, 2, 2], "the mark");
        const before = await planner.fork("before", { at: 3 });
        const after = await planner.fork("after");
        ensure((await store.contextMark(before.sessionId)) === undefined, "a fork before it has none");
        ensureSame(await store.contextMark(after.sessionId), mark, "a fork behind it has the same");
        await planner.cancel({ to: 3 });
        ensure((await store.contextMark(planner.sessionId)) === undefined, "a cancel takes it along");
        ensureSame(await store.contextMark(after.sessionId), mark, "but not from the fork");
        ensure((await planner.rows()).length === 3, "compaction rewrites nothing");
      },
    ),
    onStore("a compaction may not keep half a group or summarise what is to come", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), asks("x"), answers("x")]);
      const marked = (summarises: number, keepFrom: number): Promise<unknown> =>
        planner.append([says("summary")], { mark: { summarises, keepFrom } });
      ensure((await ensureRefused(marked(3, 2), "invalid_boundary")).reason === "split", "half a group");
      ensure((await ensureRefused(marked(4, 0), "invalid_boundary")).reason === "out_of_range", "the future");
      ensure((await ensureRefused(marked(1, 3), "invalid_boundary")).reason === "out_of_range", "a gap");
      await marked(3, 1);
    }),
    onStore("an event is written with its write, once by its key, and consumed once", async ({ store }) => {
      const planner = await actor(store);
      const event = { key: "k1", kind: "told", payload: { n: 1 } };
      await planner.append([says("a")], { events: [event] });
      await planner.update({ events: [{ ...event, payload: { n: 2 } }] });
      const { items } = await store.outbox.list({ kind: "told" });
      ensureSame(
        items.map(({ payload }) => payload),
        [{ n: 1 }],
        "one event",
      );
      const consumed = await Promise.all([1, 2, 3].map(() => store.outbox.consume(items[0]!.id)));
      ensure(consumed.filter(Boolean).length === 1, "one consumer");
      await planner.update({ events: [event] });
      ensureSame((await store.outbox.list({ kind: "told" })).items, [], "a key stays used");
    }),
  ],
};
