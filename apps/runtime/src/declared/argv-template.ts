import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { ToolFailure } from "../tools/tool.ts";

/** A word of a command: literal pieces and places for values. */
export interface TemplateWord {
  readonly pieces: readonly TemplatePiece[];
  /** The one value that is the whole word. */
  readonly whole: string | undefined;
  /** A list whose every item becomes a word. */
  readonly spread: string | undefined;
}

type TemplatePiece = { readonly literal: string } | { readonly value: string };

/** A word that was read, or why it cannot be. */
export type WordReading =
  | { readonly ok: true; readonly word: TemplateWord }
  | { readonly ok: false; readonly problem: string };

const TOKEN = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_-]*)(\.\.\.)?\}|[{}]|[^{}]+/g;

/** Reads one word: `{name}` is a value, `{name...}` alone a list of words, `{{` and `}}` are braces. */
export function readWord(text: string): WordReading {
  const pieces: TemplatePiece[] = [];
  let spread: string | undefined;
  for (const [token, name, dots] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "}")
      return { ok: false, problem: "a brace stands alone; write {name}, {name...}, {{ or }}" };
    if (dots !== undefined) {
      if (token !== text) return { ok: false, problem: "{name...} must be the whole word" };
      spread = name;
    } else if (name !== undefined) pieces.push({ value: name });
    else pieces.push({ literal: token === "{{" ? "{" : token === "}}" ? "}" : token });
  }
  const [only] = pieces;
  const whole = pieces.length === 1 && only !== undefined && "value" in only ? only.value : undefined;
  return { ok: true, word: { pieces, whole, spread } };
}

/** The values that a word takes. */
export function valuesOf({ pieces, spread }: TemplateWord): readonly string[] {
  const names = pieces.flatMap((piece) => ("value" in piece ? [piece.value] : []));
  return spread === undefined ? names : [...names, spread];
}

/**
 * The words of one call; nothing is interpreted, each value stays within its word. A word whose value is absent is left
 * out. A value that would be read as an option is refused unless the template's `--` stands before it.
 *
 * @throws ToolFailure
 */
export function fillTemplate(words: readonly TemplateWord[], input: JsonValue): readonly string[] {
  const given = isJsonObject(input) ? input : {};
  let optionsOver = false;
  return words.flatMap((word) => {
    const filled = fillWord(word, given);
    const isOwn = word.whole !== undefined || word.spread !== undefined;
    if (isOwn && !optionsOver) filled.forEach(refuseOption);
    if (!isOwn && filled[0] === "--") optionsOver = true;
    return filled;
  });
}

function fillWord({ pieces, spread }: TemplateWord, given: JsonObject): readonly string[] {
  if (spread !== undefined) {
    const list = valueOf(given, spread);
    return Array.isArray(list) ? list.map(asWord) : [];
  }
  const texts: string[] = [];
  for (const piece of pieces) {
    const value = "literal" in piece ? piece.literal : valueOf(given, piece.value);
    if (value === undefined) return [];
    texts.push(asWord(value));
  }
  return [texts.join("")];
}

function valueOf(given: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

function asWord(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.includes("\0"))
    throw new ToolFailure("a value holds a NUL character, which no program can be given");
  return text;
}

function refuseOption(word: string): void {
  if (!word.startsWith("-")) return;
  throw new ToolFailure(
    `the value '${word.slice(0, 40)}' begins with '-' and would be read as an option; it is not passed on`,
  );
}
