import { canonicalJson } from "@basis/core";

/**
 * A copy of a JSON value that nobody can change.
 *
 * @throws TypeError or RangeError for what has no canonical JSON form.
 */
export function frozenJson<T>(value: T): T {
  return JSON.parse(canonicalJson(value), (_, part: unknown) => Object.freeze(part)) as T;
}
