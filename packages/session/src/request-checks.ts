import { canonicalJson, orderedJson, type JsonValue } from "@basis/core";
import type { Labels } from "./member.ts";
import type { PageRequest } from "./page.ts";
import { decodeBody, jsonProblem, maxBodyBytes, utf8Bytes } from "./message-body.ts";
import { SessionError } from "./session-error.ts";

const noLabels: Labels = Object.freeze({});
const MAX_NAME_LENGTH = 512;
const MAX_TTL_MS = 3_600_000;
const MAX_LABELS = 64;
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** The refusal of a request that no store could carry out. */
export function invalidRequest(field: string, reason: string): SessionError<"invalid_request"> {
  return new SessionError("invalid_request", `${field} ${reason}`, { details: { field, reason } });
}

/** A name, id or key: 1 to 512 UTF-16 units of well-formed text without NUL, which databases can't keep. */
export function checkName(field: string, value: unknown): string {
  if (typeof value !== "string" || value === "")
    throw invalidRequest(field, "must be a text that is not empty");
  if (value.length > MAX_NAME_LENGTH) throw invalidRequest(field, `is longer than ${MAX_NAME_LENGTH}`);
  if (value.includes("\0") || !isWellFormed(value)) {
    throw invalidRequest(field, "holds a NUL or half a character");
  }
  return value;
}

/** The engine's own check where there is one: it is far faster than a pattern. */
function isWellFormed(text: string): boolean {
  const checkable = text as string & { readonly isWellFormed?: () => boolean };
  return checkable.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}

/** Labels as they are kept: frozen, sorted by key, at most 64. A value may be empty. */
export function checkLabels(labels: Labels | undefined): Labels {
  const given: unknown = labels ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    throw invalidRequest("labels", "must be an object of texts");
  const entries = Object.entries(given as Labels);
  if (entries.length === 0) return noLabels;
  if (entries.length > MAX_LABELS) throw invalidRequest("labels", `are more than ${MAX_LABELS}`);
  for (const [key, value] of entries) {
    checkName("labels", key);
    if (value !== "") checkName(`labels.${key}`, value);
  }
  return Object.freeze(JSON.parse(canonicalJson(Object.fromEntries(entries))));
}

/** A whole number of at least `least`. */
export function checkCount(field: string, value: unknown, least = 0): number {
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw invalidRequest(field, `must be a whole number of at least ${least}`);
  }
  return value as number;
}

/** A number of at most `most`. */
export function checkMost(field: string, value: number, most: number): number {
  if (value > most) throw invalidRequest(field, `is more than ${most}`);
  return value;
}

/** How long a lease or claim lives: 1 to 3,600,000 milliseconds. */
export function checkTtl(ttlMs: unknown): number {
  return checkMost("ttlMs", checkCount("ttlMs", ttlMs, 1), MAX_TTL_MS);
}

/** The number of items of a page. */
export function pageLimit(request: PageRequest | undefined): number {
  return checkMost("limit", checkCount("limit", request?.limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT);
}

/** A frozen copy of a JSON value, so that what a caller does to its own later changes nothing. */
export function keepJson<Value extends JsonValue>(field: string, value: Value): Value {
  if (value === null) return value;
  return decodeBody(encodeJson(field, value)) as Value;
}

/** A JSON value as a store keeps it: canonical, so that equal values are equal texts. */
export function encodeJson(field: string, value: JsonValue): string {
  const ordered = orderedJson(value);
  if (ordered !== undefined) return ordered;
  const problem = jsonProblem(value);
  if (problem !== undefined) throw invalidRequest(field, `is no JSON: ${problem}`);
  try {
    return canonicalJson(value);
  } catch (error) {
    throw invalidRequest(field, `is no JSON: ${(error as Error).message}`);
  }
}

/** How many bytes a blob's content has: at most 64 MiB of bytes or of text that UTF-8 can keep. */
export function checkBlobContent(content: unknown): number {
  if (typeof content !== "string" && !(content instanceof Uint8Array)) {
    throw invalidRequest("content", "must be a text or bytes");
  }
  if (typeof content === "string" && !isWellFormed(content)) {
    throw invalidRequest("content", "holds half a character");
  }
  const bytes = typeof content === "string" ? utf8Bytes(content) : content.byteLength;
  if (bytes > maxBodyBytes) throw invalidRequest("content", `has more than ${maxBodyBytes} bytes`);
  return bytes;
}
