import type { Page, PageRequest } from "../page.ts";
import { checkName, pageLimit } from "../request-checks.ts";

/** One page of items in the order of their keys; the cursor is the last key. */
export function pageOf<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  request: PageRequest | undefined,
): Page<T> {
  const limit = pageLimit(request);
  const after = request?.after === undefined ? undefined : checkName("after", request.after);
  const rest = [...items]
    .filter((item) => after === undefined || keyOf(item) > after)
    .toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = rest.length > page.length && last !== undefined ? keyOf(last) : null;
  return Object.freeze({ items: Object.freeze(page), next });
}
