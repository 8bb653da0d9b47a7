import type { Page } from "../page.ts";
import { invalidRequest } from "../request-checks.ts";

/** A page of up to `limit` of the items; one item beyond it tells that there is a next page. */
export function pageOf<T>(
  items: readonly T[],
  page: { readonly limit: number; readonly cursor: (last: T) => string },
): Page<T> {
  const shown = items.slice(0, page.limit);
  const last = shown.at(-1);
  const more = items.length > page.limit && last !== undefined;
  return Object.freeze({ items: Object.freeze(shown), next: more ? page.cursor(last) : null });
}

/** A cursor that is a number; 0 for the first page. @throws SessionError `invalid_request`. */
export function afterNumber(after: string | undefined): number {
  const value = Number(after ?? "0");
  if (!Number.isSafeInteger(value)) throw invalidRequest("after", "is no cursor of this list");
  return value;
}

/**
 * The conditions that apply, joined, and their values in order. A condition whose value is undefined doesn't apply;
 * `place` writes the mark of the value with that number, from 1 on.
 */
export function conditions<Value>(
  all: readonly (readonly [sql: string, value: Value | undefined])[],
  place: (number: number) => string,
): { readonly sql: string; readonly values: readonly Value[] } {
  const applying = all.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return {
    sql: applying.map(({ sql }, index) => `${sql} ${place(index + 1)}`).join(" AND "),
    values: applying.map(({ value }) => value),
  };
}
