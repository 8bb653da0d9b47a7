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
  for (let index = 0; index < items.length; index += 1) {
    text += (index === 0 ? "" : ",") + canonicalJson(items[index] ?? null);
  }
  return `${text}]`;
}

function canonicalObject(source: Readonly<Record<string, unknown>>): string {
  let text = "{";
  for (const key of sortKeys(Object.keys(source))) {
    const value = source[key];
    if (value === undefined) continue;
    text += `${text.length === 1 ? "" : ","}${canonicalString(key)}:${canonicalJson(value)}`;
  }
  return `${text}}`;
}

/** More keys than this are left to the engine's own sort. */
const FEW_KEYS = 24;

/** Sorted by UTF-16 code units, as the engine compares texts; few keys are faster inserted one by one, in place. */
function sortKeys(keys: string[]): readonly string[] {
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let next = 1; next < keys.length; next += 1) {
    const key = keys[next]!;
    let at = next;
    for (; at > 0 && keys[at - 1]! > key; at -= 1) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

/** A text that a JSON string holds as it is: nothing to escape and no half of a character. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** The engine's own check where there is one: it is far faster than a pattern. */
function isWellFormed(text: string): boolean {
  const checkable = text as string & { readonly isWellFormed?: () => boolean };
  return checkable.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

function canonicalString(text: string): string {
  if (text.length < 64 && PLAIN.test(text)) return `"${text}"`;
  if (!isWellFormed(text)) throw new TypeError("a string with a lone surrogate has no canonical form");
  return JSON.stringify(text);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
  return JSON.stringify(value === 0 ? 0 : value);
}
