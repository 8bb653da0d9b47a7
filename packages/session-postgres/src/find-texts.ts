import type { FindTextsOptions, FoundMessage, FoundTexts } from "@mobkit/session";
import { decodeBody, integerOf, textForms } from "@mobkit/session/rules";
import { blobText } from "./blobs.ts";
import { quoted } from "./connect-options.ts";
import { optionalText, textOf } from "./rows.ts";
import type { Sql, SqlRow, SqlValue } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";

/**
 * Looks for texts in every column of a schema, each also as it stands in JSON and in JSON inside JSON. One short read a
 * table. @throws SessionError `invalid_request`.
 */
export async function findTexts<M>(
  { transactions, server }: StoreContext<M>,
  texts: readonly string[],
  { signal, counts }: FindTextsOptions<M> = {},
): Promise<FoundTexts> {
  const forms = textForms(texts);
  if (forms.length === 0) return Object.freeze({ messages: Object.freeze([]), tables: Object.freeze({}) });
  const messages = await transactions.read((sql) => messagesWith(sql, forms, counts), signal);
  const tables: Record<string, number> = {};
  const columns = await transactions.read((sql) => otherColumns(sql, server.options.schema), signal);
  for (const [table, named] of columns) {
    const rows = await transactions.read((sql) => countRows(sql, { table, columns: named }, forms), signal);
    if (rows > 0) tables[table] = rows;
  }
  return Object.freeze({ messages: Object.freeze(messages), tables: Object.freeze(tables) });
}

const blobHas = (own: "IS NOT DISTINCT FROM" | "IS DISTINCT FROM"): string =>
  `EXISTS (SELECT 1 FROM blob_ref JOIN blob ON blob.digest = blob_ref.digest WHERE blob_ref.session = message.session
     AND blob_ref.seq = message.seq AND blob_ref.digest ${own} message.blob AND ${hasOne("blob.content", "bytea")})`;

const withTexts = `SELECT * FROM (SELECT session.id AS session_id, message.id, message.session, message.seq,
    coalesce(origin_session, message.session) || ':' || coalesce(origin_seq, message.seq) AS origin,
    (${hasOne("message.body", "text")} OR ${blobHas("IS NOT DISTINCT FROM")}) AS spoken, ${blobHas("IS DISTINCT FROM")} AS attached
  FROM message JOIN session ON session.key = message.session
    LEFT JOIN message_copy ON message_copy.session = message.session AND message_copy.seq = message.seq) AS looked
  WHERE spoken OR attached ORDER BY session, seq`;

async function messagesWith<M>(
  sql: Sql,
  forms: readonly string[],
  counts: FindTextsOptions<M>["counts"],
): Promise<FoundMessage[]> {
  const found: FoundMessage[] = [];
  for (const row of await sql.query(withTexts, [forms])) {
    const message = Object.freeze<FoundMessage>({
      sessionId: textOf(row, "session_id"),
      messageId: textOf(row, "id"),
      origin: textOf(row, "origin"),
      isAttached: row["attached"] === true,
    });
    if (counts === undefined || counts((await messageOf(sql, row)) as M, message)) found.push(message);
  }
  return found;
}

async function messageOf(sql: Sql, { session, seq }: SqlRow): Promise<unknown> {
  const [row] = await sql.query("SELECT body, blob FROM message WHERE session = $1 AND seq = $2", [
    session as SqlValue,
    seq as SqlValue,
  ]);
  return decodeBody(optionalText(row!, "body") ?? (await blobText(sql, textOf(row!, "blob"))));
}

/** A column, and how its values are compared. */
interface Column {
  readonly name: string;
  readonly type: string;
}

async function otherColumns(sql: Sql, schema: string): Promise<ReadonlyMap<string, readonly Column[]>> {
  const rows = await sql.query(
    `SELECT relname AS table, attname AS name, atttypid::regtype::text AS type
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> 'message' AND attnum > 0 AND NOT attisdropped
     ORDER BY relname, attnum`,
    [quoted(schema)],
  );
  const tables = new Map<string, Column[]>();
  for (const row of rows) {
    const table = textOf(row, "table");
    const column = { name: textOf(row, "name"), type: textOf(row, "type") };
    tables.set(table, [...(tables.get(table) ?? []), column]);
  }
  return tables;
}

async function countRows(
  sql: Sql,
  { table, columns }: { readonly table: string; readonly columns: readonly Column[] },
  forms: readonly string[],
): Promise<number> {
  const any = columns.map(({ name, type }) => hasOne(identifier(name), type)).join(" OR ");
  const [row] = await sql.query(`SELECT count(*) AS n FROM ${identifier(table)} WHERE ${any}`, [forms]);
  return integerOf(row!, "n");
}

/** Whether a column has one of the first parameter's texts; bytes are compared as bytes. */
function hasOne(column: string, type: string): string {
  const has =
    type === "bytea"
      ? `position(convert_to(wanted.text, 'UTF8') IN ${column}) > 0`
      : `strpos(${column}::text, wanted.text) > 0`;
  return `EXISTS (SELECT 1 FROM unnest($1::text[]) AS wanted (text) WHERE ${has})`;
}

/** A namespace may name its tables and columns as it likes. */
function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
