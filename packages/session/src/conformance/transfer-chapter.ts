import type { ImportedSession, SessionTransfer, TransferRow } from "../transfer.ts";
import { actor, says, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

/** The steps of an import, for stores that have `transfer`. */
export const transferChapter: ConformanceChapter = {
  name: "transfer",
  cases: [
    onStore("an import that isn't finished is nobody's", async ({ store }) => {
      const transfer = transferOf(store);
      const { lease } = await staged(store, transfer);
      await ensureRefused(
        store.acquireLease(lease.sessionId, { owner: "a", ttlMs: 1 }),
        "session_unavailable",
      );
      await ensureRefused(transfer.outline(lease.sessionId), "session_unavailable");
      await ensureRefused(store.setState(lease.sessionId, { state: "ready" }), "session_unavailable");
      ensure((await store.members.list()).items.length === 1, "no member sits on it");
      ensure(await transfer.drop(lease), "it can be given up");
      ensure((await store.head(lease.sessionId)).state === "tombstone", "for ever");
      ensure(!(await transfer.drop(lease)), "once");
    }),
    onStore("an import is fenced, and left behind when nobody goes on with it", async ({ store, clock }) => {
      const transfer = transferOf(store);
      const { lease, rows, contents } = await staged(store, transfer);
      await ensureRefused(transfer.stage({ ...lease, epoch: 9 }, rows), "stale_fence");
      await ensureRefused(transfer.stage(lease, rows), "invalid_request");
      clock.advance(3_600_000);
      await transfer.begin();
      ensure((await store.head(lease.sessionId)).state === "tombstone", "it was left behind");
      await ensureRefused(transfer.stage(lease, rows), "stale_fence");
      await ensureRefused(transfer.finish(lease, contents), "stale_fence");
    }),
    onStore(
      "a collection gives up an import that nobody goes on with, and no other",
      async ({ store, clock }) => {
        const transfer = transferOf(store);
        const { lease } = await staged(store, transfer);
        const stateAfter = async (request: { dryRun?: boolean }): Promise<string> => {
          await store.upkeep?.collect(request);
          return (await store.head(lease.sessionId)).state;
        };
        ensure((await stateAfter({})) === "pending", "it is under way");
        clock.advance(3_600_000);
        ensure((await stateAfter({ dryRun: true })) === "pending", "a dry run changes nothing");
        const given = store.upkeep === undefined ? "pending" : "tombstone";
        ensure((await stateAfter({})) === given, "it was left behind");
      },
    ),
    onStore("an import ends once, on a free name, with the rows that were staged", async ({ store }) => {
      const transfer = transferOf(store);
      const { lease, contents } = await staged(store, transfer);
      await ensureRefused(
        transfer.finish(lease, { ...contents, member: "planner" }),
        "member_already_exists",
      );
      const short = { ...contents, session: { ...contents.session, len: 1 } };
      await ensureRefused(transfer.finish(lease, short), "invalid_request");
      const other = {
        ...contents,
        session: { ...contents.session, requestHead: `sha256:${"0".repeat(64)}` },
      };
      await ensureRefused(transfer.finish(lease, other), "blob_missing");
      ensure((await store.members.holder("copy")) === undefined, "no refusal seats anybody");
      const { session } = await transfer.finish(lease, contents);
      ensureSame([session.state, session.binding?.member, session.len], ["ready", "copy", 2], "the session");
      await ensureRefused(transfer.finish(lease, contents), "stale_fence");
      ensure(!(await transfer.drop(lease)), "it can't be given up any more");
    }),
    onStore("S31: a staged row needs its blobs", async ({ store }) => {
      const transfer = transferOf(store);
      const lease = await transfer.begin();
      const [row] = await transferRows(store, transfer);
      const digest = `sha256:${"0".repeat(64)}`;
      const placed = place([row!], lease.sessionId);
      await ensureRefused(transfer.stage(lease, [{ ...placed[0]!, blobs: [digest] }]), "blob_missing");
      await transfer.stage(lease, placed);
    }),
  ],
};

function transferOf(store: AnyStore): SessionTransfer {
  ensure(store.transfer !== undefined, "the store has transfer");
  return store.transfer;
}

/** The rows of a new session, as they are stored. */
async function transferRows(store: AnyStore, transfer: SessionTransfer): Promise<TransferRow[]> {
  const planner = await actor(store);
  await planner.append([says("a"), says("b")]);
  const rows: TransferRow[] = [];
  const { spans } = await transfer.outline(planner.sessionId);
  for await (const row of transfer.rows(spans)) rows.push(row);
  return rows;
}

function place(rows: readonly TransferRow[], writer: string): TransferRow[] {
  return rows.map(({ row, blobs, mark }, seq) => ({
    row: { ...row, writer, seq, position: seq, rev: 0 },
    blobs,
    mark,
  }));
}

/** An import with two rows that could be finished. */
async function staged(store: AnyStore, transfer: SessionTransfer) {
  const rows = await transferRows(store, transfer);
  const lease = await transfer.begin();
  const placed = place(rows, lease.sessionId);
  await transfer.stage(lease, placed);
  const { usage, headDigest } = await store.head((await store.members.get("planner"))!.sessionId);
  const session = { len: 2, settledLen: 2, openCalls: [], headDigest, rev: 1, requestHead: null, usage };
  const contents: ImportedSession = {
    member: "copy",
    role: "general",
    session,
    cancelMarks: [],
    sideState: [],
  };
  return { lease, rows: placed, contents };
}
