import { checkCount, invalidRequest } from "./request-checks.ts";
import type { SessionRecord } from "./session-record.ts";
import type { ReadRequest } from "./store.ts";

const DEFAULT_PAGE_SIZE = 256;
const MAX_PAGE_SIZE = 1000;

/** How many rows a read fetches at a time. Pure. @throws SessionError `invalid_request`. */
export function pageSizeOf({ pageSize = DEFAULT_PAGE_SIZE }: ReadRequest): number {
  const size = checkCount("pageSize", pageSize, 1);
  if (size > MAX_PAGE_SIZE) throw invalidRequest("pageSize", `is more than ${MAX_PAGE_SIZE}`);
  return size;
}

/** The positions that a read goes over, `to` exclusive. Pure. @throws SessionError `invalid_request`. */
export function readRange(
  { from = 0, to }: ReadRequest,
  { len }: Pick<SessionRecord, "len">,
): { readonly from: number; readonly to: number } {
  return { from: checkCount("from", from), to: Math.min(checkCount("to", to ?? len), len) };
}
