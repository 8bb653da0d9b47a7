import { canonicalJson, childPointer, orderedJson, sha256 } from "@basis/core";

/** Bodies over this many bytes of UTF-8 are kept as blobs. */
export const maxInlineBytes = 16_384;

/** Most bytes of a body, and of a blob. */
export const maxBodyBytes = 67_108_864;

const MAX_DEPTH = 256;

/** The canonical text of a message, or why it can't be kept. */
export type EncodedBody = { readonly text: string } | { readonly problem: string };

/**
 * Turns a message into canonical JSON. Only plain JSON passes: a byte array, a URL, a date or any other instance and an
 * array with holes are refused, since they would come back as something else. Properties that are undefined are left out.
 */
export function encodeBody(message: unknown): EncodedBody {
  const ordered = orderedJson(message);
  const body = ordered === undefined ? encodeAny(message) : { text: ordered };
  if ("problem" in body || !isLonger(body.text, maxBodyBytes)) return body;
  return { problem: `it has more than ${maxBodyBytes} bytes` };
}

/** True when the text has more than so many bytes of UTF-8. */
export function isLonger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Bytes(text) > maxBytes);
}

function encodeAny(message: unknown): EncodedBody {
  const foreign = jsonProblem(message);
  if (foreign !== undefined) return { problem: foreign };
  try {
    return { text: canonicalJson(message) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** The message of a canonical text, frozen all through. */
export function decodeBody(text: string): unknown {
  return freezeAll(JSON.parse(text));
}

/** The digest by which a text or bytes are found again. */
export function blobDigest(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`;
}

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** Why a value is no plain JSON of at most 256 levels; undefined when it is. Numbers and texts are judged by their encoding. */
export function jsonProblem(value: unknown): string | undefined {
  return foreignValue(value, () => "", 1);
}

/** The path to the culprit is put together only when there is one. */
function foreignValue(value: unknown, path: () => string, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH}`;
  if (!isPlain(value)) return `${path() || "it"} is no plain JSON (${nameOf(value)})`;
  const keys = Object.keys(value);
  if (Array.isArray(value) && !isDense(value, keys))
    return `${path() || "it"} is an array with holes or names`;
  for (const key of keys) {
    const item = (value as Record<string, unknown>)[key];
    const found = foreignValue(item, () => childPointer(path(), key), depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for keys from 0 to the end and no other; an object lists whole numbers before names. */
function isDense(array: readonly unknown[], keys: readonly string[]): boolean {
  const { length } = array;
  return keys.length === length && (length === 0 || keys[length - 1] === String(length - 1));
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function freezeAll(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freezeAll(item);
  return Object.freeze(value);
}
