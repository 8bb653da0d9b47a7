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
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const source = value as Record<string, unknown>;
  const members = Object.keys(source)
    .filter((key) => source[key] !== undefined)
    .toSorted(byCodeUnit)
    .map((key) => `${canonicalString(key)}:${canonicalJson(source[key])}`);
  return `{${members.join(",")}}`;
}

/** The digest of a JSON value: `sha256:` and the hexadecimal hash of its canonical form. */
export function digestJson(value: JsonValue | object): string {
  return `sha256:${sha256(canonicalJson(value))}`;
}

function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function canonicalString(text: string): string {
  if (/\p{Surrogate}/u.test(text))
    throw new TypeError("a string with a lone surrogate has no canonical form");
  return JSON.stringify(text);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
  return JSON.stringify(value === 0 ? 0 : value);
}
