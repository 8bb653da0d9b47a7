import type { HttpRefusal } from "./request-guard.ts";

/** Most headers of a request; more are never cut off silently. */
const MAX_HEADERS = 100;

/** The headers that decide something, each of which came at most once. */
export interface RequestHeaders {
  readonly host?: string;
  readonly origin?: string;
  readonly authorization?: string;
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly fetchSite?: string;
  readonly fetchMode?: string;
  readonly fetchDest?: string;
  readonly lastEventId?: string;
  readonly grant?: string;
  readonly hasBody: boolean;
}

const fields: ReadonlyMap<string, Exclude<keyof RequestHeaders, "hasBody"> | "length" | "transfer"> = new Map(
  [
    ["host", "host"],
    ["origin", "origin"],
    ["authorization", "authorization"],
    ["content-type", "contentType"],
    ["content-encoding", "contentEncoding"],
    ["sec-fetch-site", "fetchSite"],
    ["sec-fetch-mode", "fetchMode"],
    ["sec-fetch-dest", "fetchDest"],
    ["last-event-id", "lastEventId"],
    ["basis-grant", "grant"],
    ["content-length", "length"],
    ["transfer-encoding", "transfer"],
  ],
);

/** Reads the headers of a request as they were sent; a refusal for too many, and for one that decides and came twice. */
export function headersOf(raw: readonly string[]): RequestHeaders | HttpRefusal {
  if (raw.length / 2 > MAX_HEADERS)
    return { status: 431, error: "too_many_headers", message: `at most ${MAX_HEADERS} headers` };
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const field = fields.get(name);
    if (field === undefined) continue;
    if (found.has(field)) return { status: 400, error: "duplicate_header", message: `${name} stands twice` };
    found.set(field, raw[index + 1]!.trim());
  }
  const { length = "0", transfer, ...headers } = Object.fromEntries(found);
  return { ...headers, hasBody: length !== "0" || transfer !== undefined };
}
