import { canonicalJson } from "@basis/core";

const MAX_DEPTH = 256;

/**
 * A copy of a JSON value that nobody can change.
 *
 * @throws TypeError or RangeError for what has no canonical JSON form.
 */
export function frozenJson<T>(value: T): T {
  return deepFreeze(JSON.parse(canonicalJson(value)) as T);
}

/** The value itself when nobody can change it and it is in canonical order already, else a copy of which that holds. */
export function fixedJson<T>(value: T): T {
  return isFixed(value, 1) ? value : frozenJson(value);
}

function isFixed(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value === "boolean" || value === null) return true;
  if (typeof value !== "object" || depth > MAX_DEPTH || !Object.isFrozen(value)) return false;
  return Array.isArray(value) ? areFixed(value, depth) : isFixedObject(value, depth);
}

function isFixedObject(value: object, depth: number): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let last: string | undefined;
  for (const key in value) {
    if ((last !== undefined && key <= last) || !isWellFormed(key)) return false;
    last = key;
    if (!isFixed((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  }
  return true;
}

function areFixed(items: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < items.length; index += 1) if (!isFixed(items[index], depth + 1)) return false;
  return Object.keys(items).length === items.length;
}

function isWellFormed(text: string): boolean {
  const checkable = text as string & { readonly isWellFormed?: () => boolean };
  return checkable.isWellFormed?.() ?? false;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
