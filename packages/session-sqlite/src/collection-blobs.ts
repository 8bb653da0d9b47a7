import type { CollectionSteps, LooseBlob } from "@mobkit/session/rules";
import { readInTurn } from "./next-turn.ts";
import { pack } from "./packed-text.ts";
import { integerOf, optionalInteger, textOf } from "./rows.ts";
import { stateNumber } from "./session-rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The steps of a collection that are about blobs. */
export function blobSteps<M>({
  connection,
  commits,
}: StoreContext<M>): Pick<CollectionSteps, "looseBlobs" | "markBlobs" | "removeBlobs" | "countRefs"> {
  return {
    looseBlobs: (after, limit) => readInTurn(connection, () => looseBlobs(connection, after, limit)),
    markBlobs: (digests, since) =>
      commits.submit(() => {
        const mark = connection.statement(
          "INSERT INTO blob_mark (digest, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
        );
        for (const digest of digests) mark.run(pack(digest), since);
      }),
    removeBlobs: (digests, before) => commits.submit(() => removeBlobs(connection, digests, before)),
    countRefs: (digests) => readInTurn(connection, () => countRefs(connection, digests)),
  };
}

function looseBlobs(
  connection: StoreConnection,
  after: number,
  limit: number,
): { items: LooseBlob[]; next: number | null } {
  const rows = connection
    .statement(
      `SELECT blob.rowid AS place, blob.digest, bytes, since,
         EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob.digest) AS referred
       FROM blob LEFT JOIN blob_mark ON blob_mark.digest = blob.digest WHERE blob.rowid > ? ORDER BY blob.rowid LIMIT ?`,
    )
    .all(after, limit);
  const free = rows.filter((row) => integerOf(row, "referred") === 0);
  const held = heldDigests(connection, free.length);
  const items = free
    .map((row) => ({
      digest: textOf(row, "digest"),
      bytes: integerOf(row, "bytes"),
      since: optionalInteger(row, "since"),
    }))
    .filter(({ digest }) => !held.has(digest));
  const last = rows.at(-1);
  return { items, next: rows.length < limit || last === undefined ? null : integerOf(last, "place") };
}

/** Decided again in the transaction that removes: what began to refer to a blob meanwhile keeps it. */
function removeBlobs(
  connection: StoreConnection,
  digests: readonly string[],
  before: number,
): { blobs: number; bytes: number } {
  const held = heldDigests(connection, digests.length);
  const amount = { blobs: 0, bytes: 0 };
  const remove = connection.statement(
    `DELETE FROM blob WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE digest = ?1)
       AND EXISTS (SELECT 1 FROM blob_mark WHERE digest = ?1 AND since <= ?2) RETURNING bytes`,
  );
  for (const digest of digests) {
    if (held.has(digest)) continue;
    const row = remove.get(pack(digest), before);
    if (row === undefined) continue;
    amount.blobs += 1;
    amount.bytes += integerOf(row, "bytes");
    connection.statement("DELETE FROM blob_mark WHERE digest = ?").run(pack(digest));
  }
  return amount;
}

function countRefs(
  connection: StoreConnection,
  digests: readonly string[],
): ReadonlyMap<string, { refs: number; bytes: number }> {
  const counts = new Map<string, { refs: number; bytes: number }>();
  const count = connection.statement(
    "SELECT bytes, (SELECT count(*) FROM blob_ref WHERE digest = ?1) AS refs FROM blob WHERE digest = ?1",
  );
  for (const digest of digests) {
    const row = count.get(pack(digest));
    if (row) counts.set(digest, { refs: integerOf(row, "refs"), bytes: integerOf(row, "bytes") });
  }
  return counts;
}

/** Where a digest may stand in a text. */
const texts: readonly (readonly [table: string, column: string])[] = [
  ["outbox", "payload"],
  ["side_value", "value"],
  ["fork_op", "request"],
  ["fork_op", "initial_message"],
];

/** Digests that heads of living sessions, waiting events, side state and fork requests name; none when there is nothing to judge. */
function heldDigests(connection: StoreConnection, candidates: number): ReadonlySet<string> {
  const held = new Set<string>();
  if (candidates === 0) return held;
  const heads = connection
    .statement(
      `SELECT DISTINCT request_head FROM session WHERE request_head IS NOT NULL AND state <> ${stateNumber("tombstone")}`,
    )
    .all();
  for (const row of heads) held.add(textOf(row, "request_head"));
  for (const [table, column] of texts) {
    const rows = connection
      .statement(`SELECT ${column} AS kept FROM ${table} WHERE instr(${column}, 'sha256:') > 0`)
      .all();
    for (const row of rows) {
      for (const [digest] of String(row["kept"]).matchAll(/sha256:[0-9a-f]{64}/g)) held.add(digest);
    }
  }
  return held;
}
