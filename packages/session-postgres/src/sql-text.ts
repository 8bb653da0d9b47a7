/** What a text holds beside SQL's own words, each replaced by a blank. */
const commentsAndTexts = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g;
const quotedNames = /"(?:[^"]|"")*"/g;

/** What would end, nest or step out of a transaction, or change the connection for those who have it next. */
const stepsOut =
  /^(begin|start|commit|end|rollback|abort|savepoint|release|prepare|execute|deallocate|set|reset|discard|listen|unlisten|copy|lock|vacuum|cluster|reindex|checkpoint|load|do|call)\b/i;

/** Functions that outlive the transaction or reach out of it. */
const reachesOut =
  /\b(set_config|pg_advisory_lock\w*|pg_try_advisory_lock\w*|dblink\w*|lo_import|lo_export)\s*\(/i;

/** Where rows go to: the table's name behind what writes it. */
const written =
  /\b(?:into|delete\s+from|truncate(?:\s+table)?(?:\s+only)?|update(?:\s+only)?)\s+(?!(?:of|on|set|cascade|restrict|no|or|skip|nowait)\b)("?)([\w.]+)\1/gi;

/** What a statement changes beside rows, and the table that an index or trigger is put on. */
const defined =
  /\b(?:drop|alter)\s+\w+\s+(?:if\s+exists\s+)?("?)([\w.]+)\1|\bcreate\b[\s\S]*?\bon\s+(?:only\s+)?("?)([\w.]+)\3/gi;

/** The first words of the store's own tables, which no namespace may have. */
export const ownWords: ReadonlySet<string> = new Set(
  "session message span cancel member fork outbox blob context side write store commit pg".split(" "),
);

/**
 * Why a statement must not run inside the store's transaction. Its text is one statement in any case: it goes out by
 * the extended protocol, where a second one is refused. Source: https://www.postgresql.org/docs/current/protocol-flow.html
 */
export function statementProblem(sql: string): string | undefined {
  if (typeof sql !== "string") return "it is no text";
  const text = sql.replace(commentsAndTexts, " ");
  return problemOf(text.replace(quotedNames, " ")) ?? ownTableProblem(text);
}

/** The store decides on what it has written last, so nobody else writes its tables over its own connection. */
function ownTableProblem(text: string): string | undefined {
  const names = [...text.matchAll(written), ...text.matchAll(defined)].map(
    ([, , table, , on]) => table ?? on ?? "",
  );
  const own = names.find((name) => ownWords.has(name.toLowerCase().split(".").at(-1)!.split("_", 1)[0]!));
  return own === undefined ? undefined : `it changes "${own}", which is the store's own`;
}

/** Why a migration must not run: a statement of it leaves the transaction or the tables of its namespace. */
export function scriptProblem(sql: string, namespace: string): string | undefined {
  const text = sql.replace(commentsAndTexts, " ");
  for (const statement of text.split(";")) {
    const problem = problemOf(statement);
    if (problem !== undefined) return problem;
    if (/^\s*create\s+(?:global\s+|local\s+)?temp/i.test(statement))
      return "a temporary table would hide the store's own";
  }
  for (const [, , table = ""] of text.matchAll(written)) {
    if (!table.toLowerCase().startsWith(`${namespace}_`)) return `it writes to "${table}"`;
  }
  return undefined;
}

function problemOf(text: string): string | undefined {
  const word = stepsOut.exec(text.replace(/^[\s;(]+/, ""))?.[1];
  if (word !== undefined) return `${word.toUpperCase()} belongs to the store`;
  const called = reachesOut.exec(text)?.[1];
  return called === undefined ? undefined : `${called} would outlive the transaction`;
}
