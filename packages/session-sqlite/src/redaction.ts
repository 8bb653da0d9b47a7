import type { RedactionReport, RedactRequest } from "@mobkit/session";
import {
  blobDigest,
  checkRedaction,
  decodeBody,
  isRedacted,
  ownTexts,
  replaceBody,
  textsInJson,
  type ReplacedBody,
} from "@mobkit/session/rules";
import { keepBlob, referToBlob } from "./blobs.ts";
import { emptyLog } from "./empty-log.ts";
import { nextGeneration, readGeneration } from "./generation.ts";
import { pack } from "./packed-text.ts";
import { blobText } from "./reads.ts";
import { placedRow, summariesOver, type PlacedRow } from "./row-places.ts";
import { textOf } from "./rows.ts";
import { requireSession } from "./session-rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";
import { withTransaction, type SqliteTransaction } from "./store-sql.ts";
import { scrubTexts } from "./text-scrub.ts";

/** Redacts on a store file, then folds the log into the file and empties it; see `StoreUpkeep.redact`. */
export async function redactOnFile<M>(
  context: StoreContext<M>,
  request: RedactRequest<M, SqliteTransaction>,
): Promise<RedactionReport> {
  const replace = checkRedaction(request, context.shape);
  const report = await context.commits.submit(() => redactOnce(context, request, replace), request.signal);
  return Object.freeze({ ...report, purged: await emptyLog(context.connection) });
}

/** A message on its way from one body to another. */
interface Change {
  readonly placed: PlacedRow;
  readonly before: string;
  readonly after: ReplacedBody;
  readonly wasRedacted: boolean;
}

function redactOnce<M>(
  context: StoreContext<M>,
  request: RedactRequest<M, SqliteTransaction>,
  replace: (message: M) => M,
): Omit<RedactionReport, "purged"> {
  const { connection, clock } = context;
  const session = requireSession(connection, request.sessionId);
  const asked = request.messageIds.map((id) => placedRow(connection, session, id));
  const summaries = asked.flatMap((placed) => summariesOver(connection, placed));
  const changes = eachOnce([...asked, ...summaries])
    .map((placed) => changeOf(context, placed, replace))
    .filter((change) => isRedacted(request, change));
  const blobs = new Set(changes.flatMap(({ placed }) => blobsOf(connection, placed)));
  for (const change of changes) replaceRow(connection, change, clock.now());
  const sharedBlobs = [...blobs].filter((digest) => !dropBlob(connection, digest));
  const own = ownTexts(changes.map(({ before, after }) => ({ before, after: after.text })));
  const named = request.secrets ?? [];
  const texts = scrubTexts(connection, { own, named }) + dropHeads(connection, textsInJson(named));
  const { join } = request;
  if (join) withTransaction(connection, { field: "join", work: join });
  const ids = new Set(request.messageIds);
  const messages = changes.filter(({ placed }) => ids.has(placed.row.id)).length;
  return {
    generation: changes.length > 0 || texts > 0 ? nextGeneration(connection) : readGeneration(connection),
    messages,
    summaries: changes.length - messages,
    blobs: blobs.size - sharedBlobs.length,
    texts,
    sharedBlobs: Object.freeze(sharedBlobs),
  };
}

/** Rows by their origin, each once. */
function eachOnce(rows: readonly PlacedRow[]): PlacedRow[] {
  const originOf = ({ places: [origin] }: PlacedRow): string => `${origin!.writerKey} ${origin!.seq}`;
  return [...new Map(rows.map((placed) => [originOf(placed), placed])).values()];
}

function changeOf<M>(
  { connection, shape }: StoreContext<M>,
  placed: PlacedRow,
  replace: (message: M) => M,
): Change {
  const { bodyText, blob } = placed.row;
  const before = bodyText ?? blobText(connection, blob!);
  const wasRedacted = placed.row.salt === null;
  return { placed, before, wasRedacted, after: replaceBody(shape, decodeBody(before) as M, replace) };
}

function blobsOf(connection: StoreConnection, { places }: PlacedRow): string[] {
  const refs = connection.statement("SELECT digest FROM blob_ref WHERE session = ? AND seq = ?");
  return places.flatMap(({ writerKey, seq }) => refs.all(writerKey, seq).map((row) => textOf(row, "digest")));
}

function replaceRow(connection: StoreConnection, { placed, after }: Change, now: number): void {
  const { text, blob } = after;
  if (blob !== null)
    keepBlob(connection, { digest: blobDigest(text), bytes: Buffer.from(text, "utf8") }, now);
  for (const { writerKey, seq } of placed.places) {
    const changed = connection
      .statement("UPDATE message SET body = ?, blob = ?, salt = NULL WHERE session = ? AND seq = ?")
      .run(blob === null ? text : null, blob === null ? null : pack(blob), writerKey, seq);
    connection.statement("DELETE FROM blob_ref WHERE session = ? AND seq = ?").run(writerKey, seq);
    if (blob !== null && changed > 0) referToBlob(connection, { key: writerKey, seq }, blob);
    // A write's digest would tell a guessed body right; its repetition is refused from now on.
    connection
      .statement("UPDATE write_id SET digest = 'redacted' WHERE session = ? AND instr(result, ?) > 0")
      .run(writerKey, JSON.stringify(placed.row.id));
  }
}

/** Takes the request heads that have one of the texts from their sessions; answers how many there were. */
function dropHeads(connection: StoreConnection, texts: readonly string[]): number {
  const wanted = texts.map((text) => Buffer.from(text));
  const has = wanted.map(() => "instr(CAST(content AS BLOB), ?) > 0").join(" OR ");
  if (has === "") return 0;
  const heads = connection
    .statement(`SELECT digest FROM blob WHERE digest IN (SELECT request_head FROM session) AND (${has})`)
    .all(...wanted)
    .map((row) => textOf(row, "digest"));
  for (const digest of heads) {
    connection.statement("UPDATE session SET request_head = NULL WHERE request_head = ?").run(pack(digest));
    dropBlob(connection, digest);
  }
  return heads.length;
}

/** Removes a blob to which nothing that wasn't redacted refers. */
function dropBlob(connection: StoreConnection, digest: string): boolean {
  const packed = pack(digest);
  const gone = connection
    .statement(
      `DELETE FROM blob WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE digest = ?1)
         AND NOT EXISTS (SELECT 1 FROM session WHERE request_head = ?1)`,
    )
    .run(packed);
  if (gone > 0) connection.statement("DELETE FROM blob_mark WHERE digest = ?").run(packed);
  return gone > 0;
}
