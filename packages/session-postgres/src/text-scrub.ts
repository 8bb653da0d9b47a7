import type { JsonValue } from "@basis/core";
import { insideJson, messageWithoutTexts, payloadWithoutTexts, withoutTexts } from "@mobkit/session/rules";
import { optionalText, textOf } from "./rows.ts";
import { statement, type Sql, type SqlRow, type SqlStatement, type SqlValue } from "./sql.ts";

/** What to take out: `own` of waiting events and first inputs, `named` of everything beside the transcripts. */
interface Secrets {
  readonly own: readonly string[];
  readonly named: readonly string[];
}

/** Takes texts out of a value; undefined when it has none. */
type Removal = (value: JsonValue, texts: readonly string[], row: SqlRow) => JsonValue | undefined;

/** A column that may hold a text, as JSON or plainly. */
interface Scrubbed {
  readonly column: string;
  readonly texts: readonly string[];
  readonly plain?: boolean;
  /** Default: `withoutTexts`. */
  readonly remove?: Removal;
}

/** One table, how its rows are told apart, and what else changes in a row that is cleaned. */
interface Scrubbing {
  readonly table: string;
  readonly place: string;
  /** What else `remove` needs of a row. */
  readonly told?: string;
  readonly where?: string;
  readonly columns: readonly Scrubbed[];
  readonly beside?: string;
}

/** The statements that take texts out of what stands beside the transcripts, one a row. The rows are locked. */
export async function scrubTexts(sql: Sql, { own, named }: Secrets): Promise<readonly SqlStatement[]> {
  const all = [...own, ...named];
  const tables: readonly Scrubbing[] = [
    {
      table: "outbox",
      place: "entry::text",
      told: "kind",
      where: "consumed_at IS NULL",
      columns: [{ column: "payload", texts: all, remove: removeFromPayload }],
    },
    {
      table: "fork_op",
      place: "session::text",
      columns: [
        { column: "initial_message", texts: all, remove: messageWithoutTexts },
        { column: "request", texts: named },
        { column: "provision", texts: named },
        { column: "failure_reason", texts: named, plain: true },
      ],
      // The request's digest would tell a guessed text right; its repetition under the key is a conflict from now on.
      beside: "request_digest = 'redacted', ",
    },
    { table: "side_value", place: "key::text", columns: [{ column: "value", texts: named }] },
    {
      table: "cancel_mark",
      place: "(session || ' ' || rev)",
      columns: [{ column: "reason", texts: named, plain: true }],
    },
  ];
  const scrubbed: SqlStatement[] = [];
  for (const table of tables) scrubbed.push(...(await scrubTable(sql, table)));
  return scrubbed;
}

const removeFromPayload: Removal = (payload, texts, row) =>
  payloadWithoutTexts({ kind: textOf(row, "kind"), payload }, texts);

async function scrubTable(sql: Sql, scrubbing: Scrubbing): Promise<readonly SqlStatement[]> {
  const { table, place, told, where = "true", columns, beside = "" } = scrubbing;
  const wanted = [...new Set(columns.flatMap(({ texts }) => texts))];
  if (wanted.length === 0) return [];
  const names = columns.map(({ column }) => column);
  const rows = await sql.query(
    `SELECT ${[`${place} AS place`, ...names, ...(told === undefined ? [] : [told])].join(", ")} FROM ${table} WHERE ${where} AND EXISTS (
       SELECT 1 FROM unnest($1::text[]) AS wanted (text) WHERE position(text IN concat(${names.join(", ")})) > 0)
     FOR NO KEY UPDATE`,
    [[...wanted, ...wanted.map(insideJson)]],
  );
  const sets = names.map((name, index) => `${name} = $${index + 2}`).join(", ");
  return rows.flatMap((row) => {
    const values = cleaned(row, columns);
    if (values === undefined) return [];
    return [
      statement(`UPDATE ${table} SET ${beside}${sets} WHERE ${place} = $1`, textOf(row, "place"), ...values),
    ];
  });
}

/** The values to write; undefined when none has changed. */
function cleaned(row: SqlRow, columns: readonly Scrubbed[]): SqlValue[] | undefined {
  const values = columns.map((column) => cleanedValue(row, column));
  return values.some((value) => value !== undefined)
    ? values.map((value, index) => value ?? optionalText(row, columns[index]!.column))
    : undefined;
}

function cleanedValue(
  row: SqlRow,
  { column, texts, plain, remove = withoutTexts }: Scrubbed,
): string | undefined {
  const kept = optionalText(row, column);
  if (kept === null) return undefined;
  const value = remove(plain === true ? kept : (JSON.parse(kept) as JsonValue), texts, row);
  if (value === undefined) return undefined;
  return plain === true ? (value as string) : JSON.stringify(value);
}
