import type { BlobRef, BlobStore } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { blobDigest, checkBlobContent, integerOf } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import { positionIn } from "./spans.ts";
import { statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";

/** The blobs of a store. */
export function postgresBlobs<M>({ transactions, time }: StoreContext<M>): BlobStore {
  return {
    async put(content, options = {}) {
      checkBlobContent(content);
      const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
      const digest = blobDigest(bytes);
      const put = keepBlobs([{ digest, bytes }], time.estimate());
      await transactions.write(async () => ({ answer: undefined, writes: [put] }), options.signal);
      return Object.freeze<BlobRef>({ digest, bytes: bytes.byteLength });
    },
    get: (digest, options = {}) => transactions.read((sql) => blobContent(sql, digest), options.signal),
  };
}

/** Stores contents unless they are there; those that are count as put again, which renews their grace. */
export function keepBlobs(
  blobs: readonly { readonly digest: string; readonly bytes: Uint8Array }[],
  now: number,
): SqlStatement {
  return statement(
    `WITH unmarked AS (DELETE FROM blob_mark WHERE digest = ANY ($1::text[]))
     INSERT INTO blob (digest, bytes, touched_at, content)
     SELECT digest, octet_length(content), $3, content FROM unnest($1::text[], $2::bytea[]) AS given (digest, content)
     ON CONFLICT (digest) DO UPDATE SET touched_at = excluded.touched_at`,
    blobs.map(({ digest }) => digest),
    blobs.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    now,
  );
}

/** The content of a digest. */
export async function blobContent(sql: Sql, digest: string): Promise<Uint8Array | undefined> {
  const rows = await sql.query("SELECT content FROM blob WHERE digest = $1", [digest]);
  return rows[0] && (rows[0]["content"] as Uint8Array);
}

/** Refuses digests that aren't stored; nobody removes the others until the transaction ends. @throws SessionError `blob_missing`. */
export async function holdBlobs(sql: Sql, digests: readonly string[]): Promise<void> {
  if (digests.length === 0) return;
  const rows = await sql.query("SELECT digest FROM blob WHERE digest = ANY ($1::text[]) FOR KEY SHARE", [
    digests,
  ]);
  const stored = new Set(rows.map((row) => textOf(row, "digest")));
  const missing = digests.find((digest) => !stored.has(digest));
  if (missing !== undefined) throw blobMissing(missing);
}

/** The refusal of a digest that isn't stored. */
export function blobMissing(digest: string): SessionError<"blob_missing"> {
  return new SessionError("blob_missing", `there is no blob ${digest}`, { details: { digest } });
}

/** Notes that a row refers to blobs, in the transaction that writes the row. */
export function referToBlobs(
  place: { readonly key: number; readonly seq: number },
  digests: readonly string[],
): SqlStatement {
  return statement(
    "INSERT INTO blob_ref (session, seq, digest) SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING",
    place.key,
    place.seq,
    digests,
  );
}

/** Every reference to a blob that is lost; in general none. */
export function lostReferences(sql: Sql): Promise<readonly SqlRow[]> {
  return sql.query(
    "SELECT blob_ref.session, blob_ref.seq, digest FROM blob_gone JOIN blob_ref USING (digest)",
  );
}

/** Refuses a prefix some of whose blobs are lost. @throws SessionError `blob_missing`. */
export function refuseLostBlobs(lost: readonly SqlRow[], session: StoredSession, length: number): void {
  for (const row of lost) {
    const place = { writerKey: integerOf(row, "session"), seq: integerOf(row, "seq") };
    const position = positionIn(session.spans, place) ?? length;
    if (position < length) throw blobMissing(textOf(row, "digest"));
  }
}

/** A blob's content as text. @throws SessionError `blob_missing`. */
export async function blobText(sql: Sql, digest: string): Promise<string> {
  const content = await blobContent(sql, digest);
  if (content === undefined) throw blobMissing(digest);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8");
}
