/** What a text holds beside SQL's own words, each replaced by a blank. */
const commentsAndTexts = /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'/g;
const quotedNames = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/g;

/** What would end, nest or step out of a transaction; `END` is `COMMIT` by another name. */
const stepsOut = /^(begin|commit|end|rollback|savepoint|release|attach|detach|vacuum|pragma)\b/i;

/** Where rows go to: the table's name behind what writes it. What else follows `UPDATE` belongs to triggers, upserts and keys. */
const written =
  /\b(?:into|delete\s+from|update(?:\s+or\s+\w+)?)\s+(?!(?:of|on|set|cascade|restrict|no)\b)(?:main\s*\.\s*)?["`[]?(\w+)/gi;

/**
 * Why a statement must not run inside the store's transaction: it would end it, nest one or step out of it. SQLite
 * skips semicolons, blanks and comments before a statement, and a conflict or trigger that rolls back ends the
 * transaction as well. Source: https://sqlite.org/lang_conflict.html, https://sqlite.org/lang_transaction.html
 */
export function statementProblem(sql: string): string | undefined {
  return problemOf(sql.replace(commentsAndTexts, " ").replace(quotedNames, " "));
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
