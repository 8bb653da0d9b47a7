import type { CallOptions } from "@mobkit/session";
import { invalidRequest } from "@mobkit/session/rules";
import { quotedName } from "./held-digests.ts";
import { textOf } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** A message that has a text. */
export interface FoundMessage {
  /** The session that wrote it. */
  readonly sessionId: string;
  readonly messageId: string;
  /** One for a message and its copies in rebased sessions. A message that came with a bundle has one of its own, whatever its id. */
  readonly origin: string;
}

/** Where texts stand in a store's file. */
export interface FoundTexts {
  /** Messages whose body or blob has one, also those that no transcript holds any more; by the session that wrote them. */
  readonly messages: readonly FoundMessage[];
  /** How many rows of every other table have one, the namespaces' tables too; tables without any are left out. */
  readonly tables: Readonly<Record<string, number>>;
}

/**
 * Looks for texts in every column of a file, each also as it stands in JSON and in JSON inside JSON. One short read a
 * table. @throws SessionError `invalid_request`.
 */
export async function findTexts<M>(
  { connection }: StoreContext<M>,
  texts: readonly string[],
  { signal }: CallOptions = {},
): Promise<FoundTexts> {
  const forms = [...new Set(texts.flatMap(formsOf))].map((form) => Buffer.from(form));
  const found =
    forms.length === 0 ? [] : await connection.read(() => messagesWith(connection, forms), signal);
  const tables: Record<string, number> = {};
  const names = await connection.read(() => otherTables(connection), signal);
  for (const name of forms.length === 0 ? [] : names) {
    const rows = await connection.read(() => countRows(connection, name, forms), signal);
    if (rows > 0) tables[name] = rows;
  }
  return Object.freeze({ messages: Object.freeze(found), tables: Object.freeze(tables) });
}

/** A text as it may stand in a column. */
function formsOf(text: string): readonly string[] {
  if (typeof text !== "string" || text === "")
    throw invalidRequest("texts", "must be texts that are not empty");
  const inJson = insideJson(text);
  return [text, inJson, insideJson(inJson)];
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function messagesWith(connection: StoreConnection, forms: readonly Uint8Array[]): FoundTexts["messages"] {
  const rows = connection
    .statement(
      `SELECT session.id AS session_id, message.id AS id,
         coalesce(origin_session, message.session) || ':' || coalesce(origin_seq, message.seq) AS origin
       FROM message JOIN session ON session.key = message.session
         LEFT JOIN message_copy ON message_copy.session = message.session AND message_copy.seq = message.seq
       WHERE ${anyOf("message.body", forms)} OR EXISTS (SELECT 1 FROM blob_ref JOIN blob ON blob.digest = blob_ref.digest
         WHERE blob_ref.session = message.session AND blob_ref.seq = message.seq AND ${anyOf("blob.content", forms)})
       ORDER BY message.log`,
    )
    .all(...forms, ...forms);
  return rows.map((row) =>
    Object.freeze({
      sessionId: textOf(row, "session_id"),
      messageId: textOf(row, "id"),
      origin: String(row["origin"]),
    }),
  );
}

function otherTables(connection: StoreConnection): readonly string[] {
  return connection
    .statement("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'message' ORDER BY name")
    .all()
    .map((row) => String(row["name"]));
}

function countRows(connection: StoreConnection, table: string, forms: readonly Uint8Array[]): number {
  const columns = connection.statement("SELECT name FROM pragma_table_info(?)").all(table);
  const where = columns.map((row) => anyOf(quotedName(String(row["name"])), forms)).join(" OR ");
  const values = columns.flatMap(() => forms);
  const row = connection
    .statement(`SELECT count(*) AS n FROM ${quotedName(table)} WHERE ${where}`)
    .get(...values);
  return Number(row?.["n"]);
}

/** As bytes, since a blob column has a text's bytes and no text. */
function anyOf(column: string, forms: readonly Uint8Array[]): string {
  return `(${forms.map(() => `instr(CAST(${column} AS BLOB), ?) > 0`).join(" OR ")})`;
}
