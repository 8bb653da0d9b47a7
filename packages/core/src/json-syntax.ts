import type { JsonProblem, StrictParse } from "./json.ts";

/** The answer of a parse that accepts nothing. */
export function refuse(problem: JsonProblem, message: string, offset: number): StrictParse {
  return { ok: false, problem, message, offset };
}

/** Beyond this length the place of an error that the engine does not tell is not searched for. */
const MAX_SEARCHED = 64 * 1024;

/** Tells a text that stops too early from one that goes wrong or goes on after its document. */
export function locateSyntaxError(text: string, error: unknown): StrictParse {
  if (text.trim() === "") return refuse("not_json", "the text is empty", 0);
  const found = classify(text, error);
  switch (found.kind) {
    case "unterminated":
      return refuse("unterminated", "the JSON document is not finished", text.length);
    case "trailing":
      return refuse("trailing_text", "text follows the JSON document", found.offset);
    case "wrong":
      return refuse("not_json", found.message, found.offset ?? searchError(text));
  }
}

type SyntaxProblem =
  | { readonly kind: "unterminated" }
  | { readonly kind: "trailing"; readonly offset: number }
  | { readonly kind: "wrong"; readonly offset: number | undefined; readonly message: string };

/** Reads the engine's error: a place at the end of the text, or the word for it, means that more could follow. */
function classify(text: string, error: unknown): SyntaxProblem {
  const detail = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(detail)?.[1];
  const offset = position === undefined ? undefined : Number(position);
  if (/end of JSON input|Unterminated/i.test(detail) || (offset ?? -1) >= text.trimEnd().length) {
    return { kind: "unterminated" };
  }
  if (/after JSON/i.test(detail)) return { kind: "trailing", offset: offset ?? 0 };
  return { kind: "wrong", offset, message: `not JSON: ${clean(detail)}` };
}

/** The first character after which no continuation could be JSON: prefixes before it are only unfinished. 0 for long texts. */
function searchError(text: string): number {
  if (text.length > MAX_SEARCHED) return 0;
  let [fine, broken] = [0, text.length];
  while (broken - fine > 1) {
    const middle = Math.floor((fine + broken) / 2);
    if (isBroken(text.slice(0, middle))) broken = middle;
    else fine = middle;
  }
  return fine;
}

function isBroken(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return false;
  } catch (error) {
    return prefix.trim() !== "" && classify(prefix, error).kind === "wrong";
  }
}

/** The engine's words without its quotes: a piece of somebody's program does not belong into ours. */
function clean(detail: string): string {
  return (
    detail
      .replace(/,? ?(\.\.\.)?".*$/s, "")
      .replace(/ in JSON.*$/s, "")
      .trim() || "unexpected text"
  );
}
