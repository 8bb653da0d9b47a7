import type { CollectionSteps, LooseBlob } from "@mobkit/session/rules";
import { integerOf, optionalInteger } from "@mobkit/session/rules";
import { heldDigests } from "./held-digests.ts";
import { readInTurn } from "./next-turn.ts";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
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

const nothing: ReadonlySet<string> = new Set();

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
  const held = free.length === 0 ? nothing : heldDigests(connection);
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
  const held = heldDigests(connection);
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
