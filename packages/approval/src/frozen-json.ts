import { canonicalJson } from "@basis/core";

/**
 * A copy of a JSON value that nobody can change.
 *
 * @throws TypeError or RangeError for what has no canonical JSON form.
 */
export function frozenJson<T>(value: T): T {
  return deepFreeze(JSON.parse(canonicalJson(value)) as T);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
