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
import { blobText, keepBlobs, referToBlobs } from "./blobs.ts";
import { lockBlobs } from "./collection-blobs.ts";
import { countOn, readGeneration } from "./generation.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import { purge } from "./purge.ts";
import { placedRow, summariesOver, type PlacedRow } from "./row-places.ts";
import { textOf } from "./rows.ts";
import { requireSession } from "./session-rows.ts";
import { statement, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import { scrubTexts } from "./text-scrub.ts";
import type { Decision } from "./transactions.ts";
import { holdUpkeep } from "./upkeep-lock.ts";

type Report = Omit<RedactionReport, "purged">;

/** Redacts, then has the server clear away the replaced rows; see `StoreUpkeep.redact`. */
export async function redactInStore<M>(
  context: StoreContext<M>,
  request: RedactRequest<M, PostgresTransaction>,
): Promise<RedactionReport> {
  const replace = checkRedaction(request, context.shape);
  const { transactions, server } = context;
  const report = await transactions.write(async (sql) => {
    await holdUpkeep(sql, server.options.schema);
    return redactOnce(context, sql, { request, replace });
  }, request.signal);
  return Object.freeze({ ...report, purged: await purge(server) });
}

/** A message on its way from one body to another. */
interface Change {
  readonly placed: PlacedRow;
  readonly before: string;
  readonly after: ReplacedBody;
}

async function redactOnce<M>(
  { shape, time }: StoreContext<M>,
  sql: Sql,
  asked: { readonly request: RedactRequest<M, PostgresTransaction>; readonly replace: (message: M) => M },
): Promise<Decision<Report>> {
  const { request, replace } = asked;
  const session = await requireSession(sql, request.sessionId);
  const changes: Change[] = [];
  for (const placed of await rowsToRedact(sql, session, request.messageIds)) {
    const { bodyText, blob } = placed.row;
    const before = bodyText ?? (await blobText(sql, blob!));
    const after = replaceBody(shape, decodeBody(before) as M, replace);
    const wasRedacted = placed.row.salt === null;
    if (isRedacted(request, { before, after, wasRedacted })) changes.push({ placed, before, after });
  }
  const blobs = new Set((await Promise.all(changes.map(({ placed }) => blobsOf(sql, placed)))).flat());
  const now = time.at(session.nowMs);
  await Promise.all(
    changes.flatMap((change) => replaceRow(change, now)).map(({ text, values }) => sql.query(text, values)),
  );
  const named = request.secrets ?? [];
  const heads = await freeHeads(sql, textsInJson(named));
  const gone = await dropBlobs(sql, [...blobs, ...heads]);
  const own = ownTexts(changes.map(({ before, after }) => ({ before, after: after.text })));
  const texts = await scrubTexts(sql, { own, named });
  const grows = changes.length > 0 || texts.length > 0 || heads.length > 0;
  const generation = (await readGeneration(sql)) + (grows ? 1 : 0);
  const ids = new Set(request.messageIds);
  const messages = changes.filter(({ placed }) => ids.has(placed.row.id)).length;
  const answer = {
    generation,
    messages,
    summaries: changes.length - messages,
    blobs: [...blobs].filter((digest) => gone.has(digest)).length,
    texts: texts.length + heads.length,
    sharedBlobs: Object.freeze([...blobs].filter((digest) => !gone.has(digest))),
  };
  return { answer, writes: grows ? [...texts, countOn("generation")] : [], join: request.join };
}

/** The messages and the summaries over them, each once. */
async function rowsToRedact(
  sql: Sql,
  session: Parameters<typeof placedRow>[1],
  messageIds: readonly string[],
): Promise<PlacedRow[]> {
  const found: PlacedRow[] = [];
  for (const id of messageIds) found.push(await placedRow(sql, session, id));
  const summaries: PlacedRow[] = [];
  for (const placed of found) summaries.push(...(await summariesOver(sql, placed)));
  const originOf = ({ places: [origin] }: PlacedRow): string => `${origin!.writerKey} ${origin!.seq}`;
  return [...new Map([...found, ...summaries].map((placed) => [originOf(placed), placed])).values()];
}

async function blobsOf(sql: Sql, { places }: PlacedRow): Promise<string[]> {
  const rows = await Promise.all(
    places.map(({ writerKey, seq }) =>
      sql.query("SELECT digest FROM blob_ref WHERE session = $1 AND seq = $2", [writerKey, seq]),
    ),
  );
  return rows.flat().map((row) => textOf(row, "digest"));
}

function replaceRow({ placed, after }: Change, now: number): SqlStatement[] {
  const { text, blob } = after;
  const kept =
    blob === null ? [] : [keepBlobs([{ digest: blobDigest(text), bytes: Buffer.from(text, "utf8") }], now)];
  const rows = placed.places.flatMap(({ writerKey, seq }) => [
    statement(
      "UPDATE message SET body = $3, blob = $4, salt = NULL WHERE session = $1 AND seq = $2",
      writerKey,
      seq,
      blob === null ? text : null,
      blob,
    ),
    statement("DELETE FROM blob_ref WHERE session = $1 AND seq = $2", writerKey, seq),
    ...(blob === null ? [] : [referToBlobs({ key: writerKey, seq }, [blob])]),
    // A write's digest would tell a guessed body right; its repetition is refused from now on.
    statement(
      "UPDATE write_id SET digest = 'redacted' WHERE session = $1 AND position($2 IN result) > 0",
      writerKey,
      JSON.stringify(placed.row.id),
    ),
  ]);
  return [...kept, ...rows];
}

/** Takes the request heads that have one of the texts from their sessions; answers them. */
async function freeHeads(sql: Sql, texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const rows = await sql.query(
    `SELECT digest FROM blob WHERE digest IN (SELECT request_head FROM session) AND EXISTS (
       SELECT 1 FROM unnest($1::bytea[]) AS wanted (bytes) WHERE position(bytes IN content) > 0)`,
    [texts.map((text) => Buffer.from(text))],
  );
  const heads = rows.map((row) => textOf(row, "digest"));
  if (heads.length > 0)
    await sql.query(
      "UPDATE session SET version = version + 1, request_head = NULL WHERE request_head = ANY ($1::text[])",
      [heads],
    );
  return heads;
}

/** Removes the blobs among these to which nothing that wasn't redacted refers; answers which went. */
async function dropBlobs(sql: Sql, digests: readonly string[]): Promise<ReadonlySet<string>> {
  await lockBlobs(sql, digests);
  const rows = await sql.query(
    `WITH gone AS (DELETE FROM blob WHERE digest = ANY ($1::text[])
       AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.digest = blob.digest)
       AND NOT EXISTS (SELECT 1 FROM session WHERE request_head = blob.digest) RETURNING digest),
     unmarked AS (DELETE FROM blob_mark USING gone WHERE blob_mark.digest = gone.digest)
     SELECT digest FROM gone`,
    [digests],
  );
  return new Set(rows.map((row) => textOf(row, "digest")));
}
