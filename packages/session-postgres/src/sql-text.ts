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

/**
 * Why a statement must not run inside the store's transaction. Its text is one statement in any case: it goes out by
 * the extended protocol, where a second one is refused. Source: https://www.postgresql.org/docs/current/protocol-flow.html
 */
export function statementProblem(sql: string): string | undefined {
  if (typeof sql !== "string") return "it is no text";
  return problemOf(sql.replace(commentsAndTexts, " ").replace(quotedNames, " "));
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
