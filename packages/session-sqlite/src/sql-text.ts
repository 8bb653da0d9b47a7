/** What a text holds beside SQL's own words, each replaced by a blank. */
const commentsAndTexts = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'/g;
const quotedNames = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g;

/** What would end, nest or step out of a transaction; `END` is `COMMIT` by another name. */
const stepsOut = /^(begin|commit|end|rollback|savepoint|release|attach|detach|vacuum|pragma)\b/i;

/** Where rows go to: the table's name behind what writes it. What else follows `UPDATE` belongs to triggers, upserts and keys. */
const written =
  /\b(?:into|delete\s+from|update(?:\s+or\s+\w+)?)\s+(?!(?:of|on|set|cascade|restrict|no)\b)(?:main\s*\.\s*)?["`[]?(\w+)/gi;

/** What a statement makes, changes or drops beside rows, and the table that an index or trigger is put on. */
const defined =
  /\b(?:drop|alter)\s+\w+\s+(?:if\s+exists\s+)?(?:main\s*\.\s*)?["`[]?(\w+)|\bcreate\b[\s\S]*?\bon\s+["`[]?(\w+)/gi;

/** The first words of the store's own tables and indexes, which no namespace may have. */
export const ownWords: ReadonlySet<string> = new Set(
  "session message span turn cancel member fork outbox blob context side write store sqlite".split(" "),
);

/**
 * Why a statement must not run inside the store's transaction: it would end it, nest one or step out of it. SQLite
 * skips semicolons, blanks and comments before a statement, and a conflict or trigger that rolls back ends the
 * transaction as well. Source: https://sqlite.org/lang_conflict.html, https://sqlite.org/lang_transaction.html
 */
export function statementProblem(sql: string): string | undefined {
  const text = sql.replace(commentsAndTexts, " ");
  return problemOf(text.replace(quotedNames, " ")) ?? ownTableProblem(text);
}

/** The store trusts what it has written last, so nobody else writes its tables over its own connection. */
function ownTableProblem(text: string): string | undefined {
  const names = [...text.matchAll(written), ...text.matchAll(defined)].map(
    ([, table, on]) => table ?? on ?? "",
  );
  const own = names.find((name) => ownWords.has(name.toLowerCase().split("_", 1)[0]!));
  return own === undefined ? undefined : `it changes "${own}", which is the store's own`;
}

/** Why a migration must not run: a statement of it leaves the transaction or the tables of its namespace. */
export function scriptProblem(sql: string, namespace: string): string | undefined {
  const text = sql.replace(commentsAndTexts, " ");
  for (const statement of statementsOf(text)) {
    const problem = problemOf(statement);
    if (problem !== undefined) return problem;
    if (/^create\s+temp/i.test(statement)) return "a temporary object would hide the store's own";
  }
  for (const [, table = ""] of text.matchAll(written)) {
    if (!table.toLowerCase().startsWith(`${namespace}_`)) return `it writes to "${table}"`;
  }
  return undefined;
}

function problemOf(text: string): string | undefined {
  const word = stepsOut.exec(text.replace(/^[\s;]+/, ""))?.[1];
  if (word !== undefined) return `${word.toUpperCase()} belongs to the store`;
  return /\brollback\b/i.test(text) ? "ROLLBACK would end the store's transaction" : undefined;
}

/** The statements of a script without comments; a trigger's body is part of its statement. */
function statementsOf(script: string): readonly string[] {
  const statements: string[] = [];
  let trigger = false;
  for (const piece of script.split(";")) {
    const text = piece.trim();
    if (trigger) {
      trigger = !/^end$/i.test(text);
      if (/\brollback\b/i.test(text)) statements.push(text);
      continue;
    }
    trigger = /^create\s+(?:temp(?:orary)?\s+)?trigger\b/i.test(text);
    if (text !== "") statements.push(text);
  }
  return statements;
}
