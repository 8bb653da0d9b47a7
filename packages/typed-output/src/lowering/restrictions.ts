import type { JsonObject, JsonValue } from "@basis/core";
import type { NodeNotes } from "./lowering-host.ts";
import type { Dialect } from "./dialect.ts";

type Kind = "string" | "number" | "integer" | "array" | "object";

const OF_NUMBERS = ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format"];

/** The keywords that restrict values of a kind beside their parts. */
const RESTRICTIONS: Readonly<Record<Kind, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"],
  number: OF_NUMBERS,
  integer: OF_NUMBERS,
  array: ["minItems", "maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

const WORDS: Readonly<Record<string, string>> = {
  minLength: "at least % characters",
  maxLength: "at most % characters",
  pattern: "matching the regular expression %",
  format: "format: %",
  contentEncoding: "encoded as %",
  contentMediaType: "holding %",
  multipleOf: "a multiple of %",
  minimum: "at least %",
  maximum: "at most %",
  exclusiveMinimum: "more than %",
  exclusiveMaximum: "less than %",
  minItems: "at least % items",
  maxItems: "at most % items",
  uniqueItems: "no two items equal",
  minProperties: "at least % members",
  maxProperties: "at most % members",
  default: "default: %",
  examples: "for example: %",
};

/** Longest operand that a description repeats. */
const MAX_SHOWN = 200;

/** Every keyword that some kind is restricted by. */
export const RESTRICTING: ReadonlySet<string> = new Set(Object.values(RESTRICTIONS).flat());

/** The restrictions of a schema that the dialect keeps; the others are noted, and told in the description. */
export function keepRestrictions(
  node: JsonObject,
  kind: Kind,
  { dialect, notes }: { readonly dialect: Dialect; readonly notes: NodeNotes },
): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const keyword of RESTRICTIONS[kind]) {
    const operand = node[keyword];
    if (operand === undefined || operand === false) continue;
    const inclusive = inclusiveOf(keyword, operand, { kind, dialect });
    if (inclusive) {
      const [name, limit] = inclusive;
      kept[name] = tighter(name, kept[name], limit);
      notes.change(keyword, `said as ${name}: ${limit}`);
    } else if (isKept(keyword, operand, dialect)) kept[keyword] = tighter(keyword, kept[keyword], operand);
    else if (isSaidAlready(node, keyword, dialect)) notes.drop(keyword, "a model need not be told");
    else noteMoved(keyword, operand, notes);
  }
  return kept;
}

/** Notes a keyword that has no place in the dialect: its words go into the description, where there are any. */
export function noteMoved(keyword: string, operand: JsonValue, notes: NodeNotes): void {
  const words = Object.hasOwn(WORDS, keyword) ? WORDS[keyword] : undefined;
  const shown = typeof operand === "string" ? operand : JSON.stringify(operand);
  if (words === undefined || shown.length > MAX_SHOWN) notes.drop(keyword);
  else
    notes.move(
      keyword,
      words.replace("%", () => shown),
    );
}

function isKept(keyword: string, operand: JsonValue, dialect: Dialect): boolean {
  if (!dialect.keeps.includes(keyword)) return false;
  if (keyword === "format") return dialect.formats?.includes(operand as string) ?? true;
  if (keyword === "pattern") return dialect.lookaround || !/\(\?<?[=!]/.test(operand as string);
  if (keyword === "minItems") return dialect.minItems?.includes(operand as number) ?? true;
  return true;
}

/** The pattern of a format that is kept, and the ends of what a number holds exactly: converters write them. */
function isSaidAlready(node: JsonObject, keyword: string, dialect: Dialect): boolean {
  const operand = node[keyword];
  if (typeof operand === "number") return Math.abs(operand) >= Number.MAX_SAFE_INTEGER;
  return keyword === "pattern" && node["format"] !== undefined && isKept("format", node["format"], dialect);
}

function inclusiveOf(
  keyword: string,
  operand: JsonValue,
  { kind, dialect }: { readonly kind: Kind; readonly dialect: Dialect },
): readonly [string, number] | undefined {
  if (!dialect.inclusiveBounds || kind !== "integer" || typeof operand !== "number") return undefined;
  if (keyword === "exclusiveMinimum") return ["minimum", Math.floor(operand) + 1];
  return keyword === "exclusiveMaximum" ? ["maximum", Math.ceil(operand) - 1] : undefined;
}

function tighter(keyword: string, before: JsonValue | undefined, limit: JsonValue): JsonValue {
  if (typeof before !== "number" || typeof limit !== "number") return limit;
  return keyword === "minimum" ? Math.max(before, limit) : Math.min(before, limit);
}
