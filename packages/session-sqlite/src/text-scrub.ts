import type { JsonValue } from "@basis/core";
import { integerOf, messageWithoutTexts, payloadWithoutTexts, withoutTexts } from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import { pack, unpack } from "./packed-text.ts";
import { optionalText } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";

/** What to take out: `own` of waiting events and first inputs, `named` of everything beside the transcripts. */
interface Secrets {
  readonly own: readonly string[];
  readonly named: readonly string[];
}

/** Takes texts out of what stands beside the transcripts; answers how many rows had some. */
export function scrubTexts(connection: StoreConnection, secrets: Secrets): number {
  const all = [...secrets.own, ...secrets.named];
  const { named } = secrets;
  if (all.length === 0) return 0;
  connection.known.forget();
  return (
    scrubTable(connection, {
      select: "SELECT entry AS place, kind, payload FROM outbox WHERE consumed_at IS NULL",
      update: "UPDATE outbox SET payload = ? WHERE entry = ?",
      clean: (row) => changed([cleanPayload(row, all)]),
    }) +
    scrubTable(connection, {
      select: "SELECT session AS place, initial_message, request, provision, failure_reason FROM fork_op",
      // The request's digest would tell a guessed text right; its repetition under the key is a conflict from now on.
      update: `UPDATE fork_op SET request_digest = 'redacted', initial_message = ?, request = ?, provision = ?,
        failure_reason = ? WHERE session = ?`,
      clean: (row) =>
        changed([
          cleanJson(row, "initial_message", (message) => messageWithoutTexts(message, all)),
          cleanJson(row, "request", (value) => withoutTexts(value, named)),
          cleanJson(row, "provision", (value) => withoutTexts(value, named)),
          cleanText(row, "failure_reason", named),
        ]),
    }) +
    scrubTable(connection, {
      select: "SELECT key AS place, value FROM side_value",
      update: "UPDATE side_value SET value = ? WHERE key = ?",
      clean: (row) => changed([cleanJson(row, "value", (value) => withoutTexts(value, named))]),
    }) +
    scrubCancelMarks(connection, named)
  );
}

/** A column after cleaning, and whether that changed it. */
interface Cleaned {
  readonly value: SqlValue;
  readonly changed: boolean;
}

function cleanPayload(row: SqlRow, texts: readonly string[]): Cleaned {
  const kind = unpack(row["kind"]!);
  return cleanJson(row, "payload", (payload) => payloadWithoutTexts({ kind, payload }, texts));
}

function cleanJson(row: SqlRow, column: string, clean: (value: JsonValue) => JsonValue | undefined): Cleaned {
  const kept = row[column] ?? null;
  const cleaned = kept === null ? undefined : clean(JSON.parse(String(kept)) as JsonValue);
  return cleaned === undefined
    ? { value: kept, changed: false }
    : { value: JSON.stringify(cleaned), changed: true };
}

function cleanText(row: SqlRow, column: string, texts: readonly string[]): Cleaned {
  const cleaned = withoutTexts(optionalText(row, column), texts);
  return typeof cleaned === "string"
    ? { value: pack(cleaned), changed: true }
    : { value: row[column] ?? null, changed: false };
}

/** The values to write; undefined when none has changed. */
function changed(columns: readonly Cleaned[]): SqlValue[] | undefined {
  return columns.some((column) => column.changed) ? columns.map(({ value }) => value) : undefined;
}

/** One table: its rows with their `place`, and how to put a cleaned one back. */
interface Scrubbing {
  readonly select: string;
  readonly update: string;
  readonly clean: (row: SqlRow) => SqlValue[] | undefined;
}

function scrubTable(connection: StoreConnection, { select, update, clean }: Scrubbing): number {
  let count = 0;
  for (const row of connection.statement(select).all()) {
    const values = clean(row);
    if (values === undefined) continue;
    connection.statement(update).run(...values, integerOf(row, "place"));
    count += 1;
  }
  return count;
}

function scrubCancelMarks(connection: StoreConnection, texts: readonly string[]): number {
  let count = 0;
  for (const row of connection.statement("SELECT session, rev, reason FROM cancel_mark").all()) {
    const { value, changed: differs } = cleanText(row, "reason", texts);
    if (!differs) continue;
    connection
      .statement("UPDATE cancel_mark SET reason = ? WHERE session = ? AND rev = ?")
      .run(value, integerOf(row, "session"), integerOf(row, "rev"));
    count += 1;
  }
  return count;
}
