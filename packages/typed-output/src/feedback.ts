import type { JsonValue } from "@basis/core";
import type { OutputIssue } from "./output-result.ts";
import { choiceWords, cut, receivedWords } from "./issue-words.ts";
import { kindOf, type SchemaIssue } from "./schema-validator.ts";
import { atPointer } from "./schema-walk.ts";

const MAX_CHARACTERS = 600;
const MAX_LINES = 10;
const MAX_RECEIVED = 80;

/** What a feedback says beside its issues. */
export interface FeedbackContext {
  /** Candidates left after this one. */
  readonly remaining: number;
  /** The same candidate came before. */
  readonly repeated: boolean;
  /** What stands before every pointer in the model's own view of its answer. */
  readonly prefix: string;
  /** Where a place of the answer stands in the model's own writing, when it was shown another schema. */
  readonly locate?: ((pointer: string) => string) | undefined;
}

/**
 * One short message that a model can act on: at most 600 characters and 10 lines.
 * Each issue is a line with its place; then how often the model may still answer.
 */
export function writeFeedback(issues: readonly OutputIssue[], context: FeedbackContext): string {
  const head = "The answer was not accepted:";
  const tail = closingLines(context);
  const room = MAX_CHARACTERS - head.length - tail.join("\n").length - 30;
  const lines: string[] = [];
  let used = 0;
  for (const issue of issues) {
    const line = cut(onOneLine(`- ${place(issue, context)}${issue.message}`), 300);
    if (used + line.length + 1 > room || lines.length + tail.length + 2 >= MAX_LINES) break;
    lines.push(line);
    used += line.length + 1;
  }
  const left = issues.length - lines.length;
  if (left > 0) lines.push(`- and ${left} more`);
  return [head, ...lines, ...tail].join("\n");
}

/** Names and patterns may hold line breaks. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\n\r\u2028\u2029]/gu, "\\n");
}

/** The message of a host's validator or hook, whole, with what is left. */
export function writeRejection(message: string, context: FeedbackContext): string {
  return [message, ...closingLines(context)].join("\n");
}

function closingLines({ remaining, repeated }: FeedbackContext): string[] {
  const again = repeated ? ["This is the same answer as before; change it."] : [];
  const left = remaining === 1 ? "1 attempt is left." : `${remaining} attempts are left.`;
  return [...again, left];
}

function place({ stage, pointer, keyword }: OutputIssue, { prefix, locate }: FeedbackContext): string {
  const isWritten = keyword === "json" || keyword === "pairs";
  const inner = `${prefix}${pointer}`;
  const at = isWritten ? pointer : (locate?.(inner) ?? inner);
  if (stage === "parse" && at === "") return "";
  return `${at === "" ? "(root)" : cut(at, 120)}: `;
}

/**
 * A schema's issue in one line: what is expected, which values are allowed (at most 8), and what came: its kind, its size or the
 * number; for a choice the value (at most 80 characters) and the nearest allowed one. With `redact` nothing of the value.
 */
export function describeIssue(issue: SchemaIssue, candidate: JsonValue, redact: boolean): OutputIssue {
  const { pointer, keyword, allowed } = issue;
  if (redact && (isUnknownProperty(keyword) || keyword === "propertyNames")) {
    return { stage: "schema", pointer, keyword, message: "a property that is not allowed" };
  }
  if (redact && (keyword === "pairs" || keyword === "json")) {
    return { stage: "schema", pointer, keyword, message: "not written as the schema asks" };
  }
  const described = allowed === undefined || namesProperty(keyword) ? issue.message : choiceWords(allowed);
  const received = receivedOf(issue, candidate, redact);
  const nearest = redact ? undefined : nearestOf(issue, candidate);
  const hint = nearest === undefined ? "" : `; nearest is ${nearest}`;
  return { stage: "schema", pointer, keyword, message: `${described}${received}${hint}` };
}

function isUnknownProperty(keyword: string): boolean {
  return keyword === "additionalProperties" || keyword === "unevaluatedProperties";
}

/** The message quotes the property. */
function namesProperty(keyword: string): boolean {
  return isUnknownProperty(keyword) || keyword === "propertyNames";
}

/** Keywords whose messages say what came, or which property did not: the kind of what holds it is then no news. */
const TELLING: readonly string[] = [
  "required",
  "dependentRequired",
  "dependencies",
  "uniqueItems",
  "contains",
  "not",
];

function receivedOf({ pointer, keyword }: SchemaIssue, candidate: JsonValue, redact: boolean): string {
  if (namesProperty(keyword) || TELLING.includes(keyword)) return "";
  const value = atPointer(candidate, pointer);
  if (value === undefined) return keyword === "tag" ? ", got nothing" : "";
  if (redact) return `, got ${kindOf(value)}`;
  const choice = keyword === "enum" || keyword === "const" || keyword === "tag";
  const scalar = typeof value !== "object" || value === null;
  if (choice && scalar) return `, got ${cut(JSON.stringify(value), MAX_RECEIVED)}`;
  return `, got ${receivedWords(keyword, value)}`;
}

function nearestOf(
  { keyword, message, pointer, allowed }: SchemaIssue,
  candidate: JsonValue,
): string | undefined {
  if (allowed === undefined || allowed.length < 2) return undefined;
  const received = namesProperty(keyword) ? quotedIn(message) : atPointer(candidate, pointer);
  if (typeof received !== "string") return undefined;
  const nearest = nearestName(
    received,
    allowed.filter((value) => typeof value === "string"),
  );
  return nearest === undefined ? undefined : cut(JSON.stringify(nearest), 60);
}

/** The first name that a message quotes. */
function quotedIn(message: string): string | undefined {
  const quoted = /"(?:[^"\\]|\\.)*"/.exec(message)?.[0];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}

/** The name closest to a received one, by edits of the folded text; undefined when none is near. */
export function nearestName(received: string, names: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  const folded = received.slice(0, 64).toLowerCase();
  const most = Math.max(2, Math.floor(folded.length / 3));
  for (const name of names.slice(0, 500)) {
    const distance = editDistance(folded, name.slice(0, 64).toLowerCase());
    if (distance <= most && distance < (best?.distance ?? Infinity)) best = { name, distance };
  }
  return best?.name;
}

/** The least number of inserted, removed or changed characters between two texts. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[right.length]!;
}
