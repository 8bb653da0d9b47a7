import type { JsonValue } from "./json.ts";
import { sha256 } from "./sha256.ts";

/**
 * Serialises a JSON value in one way only: keys sorted by UTF-16 code units, no space, ECMAScript numbers.
 * Properties that are `undefined` are left out, as `JSON.stringify` does. Source: RFC 8785.
 *
 * @throws TypeError for what JSON cannot hold (a function, a bigint, NaN, an infinite number) or a lone surrogate.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return canonicalString(value);
  if (typeof value === "number") return canonicalNumber(value);
  if (typeof value !== "object") throw new TypeError(`a ${typeof value} has no JSON form`);
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>);
}

/** The digest of a JSON value: `sha256:` and the hexadecimal hash of its canonical form. */
export function digestJson(value: JsonValue | object): string {
  return `sha256:${sha256(canonicalJson(value))}`;
}

function canonicalArray(items: readonly unknown[]): string {
  let text = "[";
  for (const [index, item] of items.entries()) text += (index === 0 ? "" : ",") + canonicalJson(item ?? null);
  return `${text}]`;
}

/** Without a comparison function keys are sorted by their UTF-16 code units. */
function canonicalObject(source: Readonly<Record<string, unknown>>): string {
  let text = "{";
  for (const key of Object.keys(source).toSorted()) {
    const value = source[key];
    if (value === undefined) continue;
    text += `${text.length === 1 ? "" : ","}${canonicalString(key)}:${canonicalJson(value)}`;
  }
  return `${text}}`;
}

/** The engine's own check where there is one: it is far faster than a pattern. */
function isWellFormed(text: string): boolean {
  const checkable = text as string & { readonly isWellFormed?: () => boolean };
  return checkable.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

function canonicalString(text: string): string {
  if (!isWellFormed(text)) throw new TypeError("a string with a lone surrogate has no canonical form");
  return JSON.stringify(text);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
  return JSON.stringify(value === 0 ? 0 : value);
}
