import { childPointer, isJsonObject, type JsonValue } from "@basis/core";
import { kindOf, type JsonKind, type SchemaIssue } from "./schema-validator.ts";

/** The issue of a value of the wrong kind. */
export function typeIssue(pointer: string, kinds: readonly JsonKind[]): SchemaIssue {
  return { pointer, keyword: "type", message: `expected ${kinds.join(" or ")}`, kinds };
}

/** A name as feedback shows it. */
export function quote(name: unknown): string {
  return JSON.stringify(cut(String(name), 80));
}

/** A text, cut to a length; never inside a character, which some providers refuse a request for. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1);
  return `${isHighSurrogate(kept, kept.length - 1) ? kept.slice(0, -1) : kept}…`;
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

/** The issue of a tag that no branch has. */
export function tagIssue(pointer: string, tag: string, allowed: readonly JsonValue[]): SchemaIssue {
  return {
    pointer: childPointer(pointer, tag),
    keyword: "tag",
    message: choiceWords(allowed),
    allowed,
  };
}

/** What a limit of a keyword asks for, in words; undefined for a keyword that is no such limit. */
export function limitWords(keyword: string, limit: unknown): string | undefined {
  const limits = LIMITS[keyword];
  return limits === undefined ? undefined : `expected ${limits[0]} ${counted(Number(limit), limits[1])}`;
}

const LIMITS: Readonly<Record<string, readonly ["at least" | "at most", Unit]>> = {
  minLength: ["at least", "character"],
  maxLength: ["at most", "character"],
  minItems: ["at least", "item"],
  maxItems: ["at most", "item"],
  minProperties: ["at least", "property"],
  maxProperties: ["at most", "property"],
  additionalItems: ["at most", "item"],
  items: ["at most", "item"],
  unevaluatedItems: ["at most", "item"],
};

type Unit = "character" | "item" | "fitting item" | "property";

/** `1 item`, `2 items`. */
export function counted(count: number, unit: Unit): string {
  if (count === 1) return `1 ${unit}`;
  return `${count} ${unit === "property" ? "properties" : `${unit}s`}`;
}

/**
 * What came where a keyword refused, as far as the keyword looks at it: how many characters, items or properties, or which number.
 * Never the text itself. Of what is of another kind, the kind.
 */
export function receivedWords(keyword: string, value: JsonValue): string {
  if (typeof value === "number") return String(value);
  const unit = LIMITS[keyword]?.[1];
  if (typeof value === "string" && (unit === "character" || keyword === "pattern")) {
    const size = counted(countCharacters(value), "character");
    return unit === undefined ? `a text of ${size}` : size;
  }
  if (unit === "item" && Array.isArray(value)) return counted(value.length, unit);
  if (unit === "property" && isJsonObject(value)) return counted(Object.keys(value).length, unit);
  return kindOf(value);
}

/** The length of a text as JSON Schema counts it: in code points. */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (!isHighSurrogate(text, at) || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** Most allowed values shown. */
const MAX_ALLOWED = 8;

/** `expected "a"`, `expected one of "a", "b"`: at most 8 of them. */
export function choiceWords(allowed: readonly JsonValue[]): string {
  const shown = allowed.slice(0, MAX_ALLOWED).map((value) => cut(JSON.stringify(value), 60));
  const more = allowed.length > MAX_ALLOWED ? ` and ${allowed.length - MAX_ALLOWED} more` : "";
  return allowed.length === 1 ? `expected ${shown[0]}` : `expected one of ${shown.join(", ")}${more}`;
}
