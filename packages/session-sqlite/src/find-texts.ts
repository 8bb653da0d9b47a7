import type { FindTextsOptions, FoundMessage, FoundTexts } from "@mobkit/session";
import { decodeBody, textForms } from "@mobkit/session/rules";
import { quotedName } from "./held-digests.ts";
import { unpack } from "./packed-text.ts";
import { blobText } from "./reads.ts";
import { textOf } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/**
 * Looks for texts in every column of a file, each also as it stands in JSON and in JSON inside JSON. One short read a
 * table. @throws SessionError `invalid_request`.
 */
export async function findTexts<M>(
  { connection }: StoreContext<M>,
  texts: readonly string[],
  { signal, counts }: FindTextsOptions<M> = {},
): Promise<FoundTexts> {
  const forms = textForms(texts).map((form) => Buffer.from(form));
  const found =
    forms.length === 0 ? [] : await connection.read(() => messagesWith(connection, forms, counts), signal);
  const tables: Record<string, number> = {};
  const names = await connection.read(() => otherTables(connection), signal);
  for (const name of forms.length === 0 ? [] : names) {
    const rows = await connection.read(() => countRows(connection, name, forms), signal);
    if (rows > 0) tables[name] = rows;
  }
  return Object.freeze({ messages: Object.freeze(found), tables: Object.freeze(tables) });
}

function messagesWith<M>(
  connection: StoreConnection,
  forms: readonly Uint8Array[],
  counts: FindTextsOptions<M>["counts"],
): FoundMessage[] {
  const body = connection.statement("SELECT body, blob FROM message WHERE session = ? AND seq = ?");
  const found: FoundMessage[] = [];
  for (const row of connection.statement(withTexts(forms)).all(...forms, ...forms, ...forms)) {
    const message = Object.freeze<FoundMessage>({
      sessionId: textOf(row, "session_id"),
      messageId: textOf(row, "id"),
      origin: String(row["origin"]),
      isAttached: Number(row["attached"]) === 1,
    });
    if (counts !== undefined) {
      const { body: text = null, blob = null } = body.get(row["session"]!, row["seq"]!) ?? {};
      const whole = text === null ? blobText(connection, unpack(blob)) : String(text);
      if (!counts(decodeBody(whole) as M, message)) continue;
    }
    found.push(message);
  }
  return found;
}

/** Its texts are bound three times: for bodies in rows, for bodies in blobs, and for what is attached. */
function withTexts(forms: readonly Uint8Array[]): string {
  const blobHas = (own: "IS" | "IS NOT"): string =>
    `EXISTS (SELECT 1 FROM blob_ref JOIN blob ON blob.digest = blob_ref.digest WHERE blob_ref.session = message.session
       AND blob_ref.seq = message.seq AND blob_ref.digest ${own} message.blob AND ${anyOf("blob.content", forms)})`;
  return `SELECT * FROM (SELECT session.id AS session_id, message.id AS id, message.session AS session, message.seq AS seq,
      message.log AS log, coalesce(origin_session, message.session) || ':' || coalesce(origin_seq, message.seq) AS origin,
      (${anyOf("message.body", forms)} OR ${blobHas("IS")}) AS spoken, ${blobHas("IS NOT")} AS attached
    FROM message JOIN session ON session.key = message.session
      LEFT JOIN message_copy ON message_copy.session = message.session AND message_copy.seq = message.seq)
    WHERE spoken OR attached ORDER BY log`;
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
