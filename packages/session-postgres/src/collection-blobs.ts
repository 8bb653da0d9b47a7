import type { CollectionSteps, LooseBlob, WalkPage } from "@mobkit/session/rules";
import { integerOf, optionalInteger } from "@mobkit/session/rules";
import { heldDigests } from "./held-digests.ts";
import { textOf } from "./rows.ts";
import { statement, type Sql } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { holdUpkeep } from "./upkeep-lock.ts";

/** The steps of a collection that are about blobs. */
export function blobSteps<M>({
  transactions,
  server,
}: StoreContext<M>): Pick<CollectionSteps, "looseBlobs" | "markBlobs" | "removeBlobs" | "countRefs"> {
  return {
    looseBlobs: (after, limit) => transactions.read((sql) => looseBlobs(sql, after, limit)),
    markBlobs: (digests, since) => {
      const mark = statement(
        "INSERT INTO blob_mark (digest, since) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING",
        digests,
        since,
      );
      return transactions.write(async () => ({ answer: undefined, writes: [mark] }));
    },
    removeBlobs: (digests, before) =>
      transactions.write(async (sql) => {
        await holdUpkeep(sql, server.options.schema);
        return removeBlobs(sql, digests, before);
      }),
    countRefs: (digests) => transactions.read((sql) => countRefs(sql, digests)),
  };
}

const nothing: ReadonlySet<string> = new Set();

async function looseBlobs(sql: Sql, after: number, limit: number): Promise<WalkPage<LooseBlob>> {
  const rows = await sql.query(
    `SELECT place, blob.digest, bytes, since,
       EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob.digest) AS referred
     FROM blob LEFT JOIN blob_mark ON blob_mark.digest = blob.digest WHERE place > $1 ORDER BY place LIMIT $2`,
    [after, limit],
  );
  const free = rows.filter((row) => row["referred"] === false);
  const held = free.length === 0 ? nothing : await heldDigests(sql);
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

/**
 * Decided again in the transaction that removes, once the rows are locked: what began to refer to a blob meanwhile has
 * committed then and is seen, and what begins later waits and finds it gone.
 */
async function removeBlobs(
  sql: Sql,
  digests: readonly string[],
  before: number,
): Promise<Decision<{ blobs: number; bytes: number }>> {
  await lockBlobs(sql, digests);
  const held = await heldDigests(sql);
  const free = await sql.query(
    `SELECT digest, bytes FROM blob WHERE digest = ANY ($1::text[])
       AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob.digest)
       AND EXISTS (SELECT 1 FROM blob_mark WHERE blob_mark.digest = blob.digest AND since <= $2)`,
    [digests.filter((digest) => !held.has(digest)), before],
  );
  const gone = free.map((row) => textOf(row, "digest"));
  const bytes = free.reduce((sum, row) => sum + integerOf(row, "bytes"), 0);
  if (gone.length === 0) return { answer: { blobs: 0, bytes: 0 }, writes: [] };
  const writes = [
    statement("DELETE FROM blob WHERE digest = ANY ($1::text[])", gone),
    statement("DELETE FROM blob_mark WHERE digest = ANY ($1::text[])", gone),
  ];
  return { answer: { blobs: gone.length, bytes }, writes };
}

/** Waits for whoever refers to the blobs, in the order of their digests. */
export async function lockBlobs(sql: Sql, digests: readonly string[]): Promise<void> {
  await sql.query("SELECT 1 FROM blob WHERE digest = ANY ($1::text[]) ORDER BY digest FOR UPDATE", [digests]);
}

async function countRefs(
  sql: Sql,
  digests: readonly string[],
): Promise<ReadonlyMap<string, { refs: number; bytes: number }>> {
  const rows = await sql.query(
    `SELECT digest, bytes, (SELECT count(*) FROM blob_ref WHERE blob_ref.digest = blob.digest) AS refs
     FROM blob WHERE digest = ANY ($1::text[])`,
    [digests],
  );
  return new Map(
    rows.map((row) => [
      textOf(row, "digest"),
      { refs: integerOf(row, "refs"), bytes: integerOf(row, "bytes") },
    ]),
  );
}
