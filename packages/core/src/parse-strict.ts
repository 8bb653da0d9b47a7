import { locateSyntaxError, refuse } from "./json-syntax.ts";
import type { JsonObject, JsonValue, StrictParse, StrictParseOptions } from "./json.ts";
import { losesDigits, StrictScan } from "./strict-scan.ts";
import { surveyText } from "./text-survey.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * Reads exactly one JSON document, more strictly than `JSON.parse`.
 *
 * Refuses duplicate keys, a `__proto__` key, a `constructor` object that holds `prototype`, nesting beyond
 * `maxDepth`, texts beyond `maxBytes`, and anything after the document. A text that merely stops too early
 * is `unterminated`. Never throws and never repairs. Source: RFC 8259; RFC 7493 section 2.3 for the keys.
 */
export function parseStrict(text: string, options: StrictParseOptions = {}): StrictParse {
  const { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH } = options;
  if (text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes)) {
    return refuse("too_large", `the text is larger than ${maxBytes} bytes`, 0);
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return locateSyntaxError(text, maxDepth);
  }
  return judge(text, value, maxDepth);
}

/** What stands against a document that `JSON.parse` has read. */
function judge(text: string, value: JsonValue, maxDepth: number): StrictParse {
  const { members, longNumbers } = surveyText(text);
  if (typeof value !== "object" || value === null) {
    const lossy = typeof value === "number" && losesDigits(text.trim());
    return { ok: true, value, unsafeIntegers: lossy ? [""] : [], longNumbers };
  }
  const isClean = !isPolluted() && countMembers(value, maxDepth) === members;
  if (isClean) return { ok: true, value, unsafeIntegers: [], longNumbers };
  return new StrictScan(text, maxDepth).check(value, longNumbers);
}

/** An object that nobody gave anything: members found in it are everybody's. */
const EMPTY = Object.freeze({});

/** True when a library gave every object a member, so that counting members tells nothing. */
function isPolluted(): boolean {
  for (const _name in EMPTY) return true;
  return false;
}

/**
 * How many members the objects of a parsed value have together, down to `levels` of nesting. NaN for what only the
 * text can judge: deeper nesting, a key that may reach a prototype, an integer beyond 2^53.
 */
function countMembers(value: JsonValue, levels: number): number {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? NaN : 0;
  if (typeof value !== "object" || value === null) return 0;
  if (levels === 0) return NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) count += countMembers(item, levels - 1);
    return count;
  }
  const object = value as JsonObject;
  for (const name in object) {
    if (name === "__proto__" || name === "prototype") return NaN;
    count += 1 + countMembers(object[name]!, levels - 1);
  }
  return count;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
