import type { BlobRef, BlobStore } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { blobDigest, checkBlobContent, integerOf } from "@mobkit/session/rules";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import { positionIn, readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The blobs of a store. */
export function sqliteBlobs<M>({ connection, commits, clock }: StoreContext<M>): BlobStore {
  return {
    async put(content, options = {}) {
      checkBlobContent(content);
      const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
      const digest = blobDigest(bytes);
      await commits.submit(() => keepBlob(connection, { digest, bytes }, clock.now()), options.signal);
      return Object.freeze<BlobRef>({ digest, bytes: bytes.byteLength });
    },
    get: (digest, options = {}) => connection.look(() => blobContent(connection, digest), options.signal),
  };
}

/** Stores content unless it is there; whoever puts it again renews its grace. */
export function keepBlob(
  connection: StoreConnection,
  blob: { readonly digest: string; readonly bytes: Uint8Array },
  now: number,
): void {
  connection
    .statement(
      "INSERT INTO blob (digest, bytes, created_at, content) VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING",
    )
    .run(pack(blob.digest), blob.bytes.byteLength, now, blob.bytes);
  connection.statement("DELETE FROM blob_mark WHERE digest = ?").run(pack(blob.digest));
}

/** The content of a digest. */
export function blobContent(connection: StoreConnection, digest: string): Uint8Array | undefined {
  const row = connection.statement("SELECT content FROM blob WHERE digest = ?").get(pack(digest));
  return row && (row["content"] as Uint8Array);
}

/** Refuses a digest that isn't stored. @throws SessionError `blob_missing`. */
export function requireBlob(connection: StoreConnection, digest: string): void {
  if (connection.statement("SELECT 1 FROM blob WHERE digest = ?").get(pack(digest))) return;
  throw blobMissing(digest);
}

/** The refusal of a digest that isn't stored. */
export function blobMissing(digest: string): SessionError<"blob_missing"> {
  return new SessionError("blob_missing", `there is no blob ${digest}`, { details: { digest } });
}

/** Notes that a row refers to a blob, in the transaction that writes the row. */
export function referToBlob(
  connection: StoreConnection,
  place: { readonly key: number; readonly seq: number },
  digest: string,
): void {
  connection
    .statement("INSERT INTO blob_ref (session, seq, digest) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
    .run(place.key, place.seq, pack(digest));
}

/** Refuses a prefix some of whose blobs are lost. @throws SessionError `blob_missing`. */
export function requirePrefixBlobs(
  connection: StoreConnection,
  session: StoredSession,
  length: number,
): void {
  const lost = connection
    .statement(
      "SELECT blob_ref.session, blob_ref.seq, digest FROM blob_gone CROSS JOIN blob_ref USING (digest)",
    )
    .all();
  if (lost.length === 0) return;
  const spans = readSpans(connection, session);
  for (const row of lost) {
    const place = { writerKey: integerOf(row, "session"), seq: integerOf(row, "seq") };
    const position = positionIn(spans, place) ?? length;
    if (position < length) throw blobMissing(textOf(row, "digest"));
  }
}
