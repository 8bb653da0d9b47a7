import type { SqlValue } from "./driver.ts";

/** First byte of a packed text: what the rest is. */
const uuidTag = 1;
const digestTag = 2;
const saltTag = 3;
const exactTag = 4;

/** Keys of the store's own events: a word and the operation's id. */
export const forkEventKeys: readonly { readonly tag: number; readonly prefix: string }[] = [
  { tag: 5, prefix: "fork-committed:" },
  { tag: 6, prefix: "fork-seated:" },
  { tag: 7, prefix: "fork-abandoned:" },
  { tag: 8, prefix: "fork-input:" },
];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const dash = 0x2d;
const digest = /^sha256:[0-9a-f]{64}$/;
const salt = /^[0-9a-f]{32}$/;
/** What a text column would not give back: drivers cut at NUL, and UTF-8 has no lone surrogates. */
const inexact = /\0|\p{Surrogate}/u;

/**
 * An id, digest or name as a column keeps it: a UUID, a salt or the key of a fork's event as 17 bytes, a SHA-256 digest as 33, any other text
 * as it is, or as bytes when a text column would change it. One text has one form, so columns of it can be unique and compared;
 * UUIDs sort as their texts do. What is no text (from a caller without types) becomes null, which equals nothing.
 */
export function pack(text: string): SqlValue {
  if (typeof text !== "string") return null;
  if (text.length === 36 && uuid.test(text)) return taggedUuid(uuidTag, text, 0);
  if (text.length === 71 && digest.test(text)) return taggedHex(digestTag, text.slice(7));
  if (text.length === 32 && salt.test(text)) return taggedHex(saltTag, text);
  const forkKey = text.startsWith("fork-") ? packForkKey(text) : undefined;
  if (forkKey !== undefined) return forkKey;
  return inexact.test(text) ? Buffer.concat([Uint8Array.of(exactTag), sortableBytes(text)]) : text;
}

function packForkKey(text: string): Uint8Array | undefined {
  const key = forkEventKeys.find(({ prefix }) => text.startsWith(prefix));
  if (key === undefined || text.length !== key.prefix.length + 36) return undefined;
  return uuid.test(text.slice(-36)) ? taggedUuid(key.tag, text, key.prefix.length) : undefined;
}

/** What `pack` was given. */
export function unpack(value: SqlValue): string {
  if (!(value instanceof Uint8Array)) return String(value);
  const rest = Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1);
  return value[0] === exactTag ? fromSortableBytes(rest) : untagged(value[0]!, rest.toString("hex"));
}

/**
 * SQL for a packed column as a text that `unpackSpelled` reads: bytes in hexadecimal behind `#`, a text behind `=`.
 * A driver takes many times as long to hand over bytes as a text.
 */
export function spelled(column: string): string {
  return `iif(typeof(${column}) = 'blob', '#' || lower(hex(${column})), '=' || ${column})`;
}

/** What `pack` was given, from a column that was `spelled`. */
export function unpackSpelled(text: string): string {
  if (text.startsWith("=")) return text.slice(1);
  const tag = Number.parseInt(text.slice(1, 3), 16);
  const hex = text.slice(3);
  return tag === exactTag ? fromSortableBytes(Buffer.from(hex, "hex")) : untagged(tag, hex);
}

function untagged(tag: number, hex: string): string {
  switch (tag) {
    case uuidTag:
      return dashed(hex);
    case digestTag:
      return `sha256:${hex}`;
    case saltTag:
      return hex;
    default:
      return `${forkEventKeys.find((key) => key.tag === tag)!.prefix}${dashed(hex)}`;
  }
}

/**
 * SQL for what an index keeps of a packed id: of a UUID of version 7 the half with its time and counter, of any other the
 * whole, since a caller's own may differ in their last digits alone.
 */
export function idKey(id: string): string {
  const isTimed = `typeof(${id}) = 'blob' AND length(${id}) = 17 AND substr(${id}, 8, 1) BETWEEN x'70' AND x'7f'`;
  return `iif(${isTimed}, substr(${id}, 1, 9), ${id})`;
}

/** `pack` for what may be missing. */
export function packOptional(text: string | null | undefined): SqlValue {
  return text === null || text === undefined ? null : pack(text);
}

/** `unpack` for what may be missing. */
export function unpackOptional(value: SqlValue): string | null {
  return value === null ? null : unpack(value);
}

/**
 * A text as bytes that sort as its UTF-16 code units do, any text exactly: UTF-8, but with each surrogate by itself.
 * Source: Unicode Technical Report 26 (CESU-8).
 */
export function sortableBytes(text: string): Uint8Array {
  if (!/[\ud800-\udfff]/.test(text)) return Buffer.from(text, "utf8");
  const parts: Uint8Array[] = [];
  for (const piece of text.split(/([\ud800-\udfff])/)) {
    const unit = piece.charCodeAt(0);
    const alone = piece.length === 1 && unit >= 0xd800 && unit <= 0xdfff;
    parts.push(
      alone
        ? Uint8Array.of(0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f))
        : Buffer.from(piece, "utf8"),
    );
  }
  return Buffer.concat(parts);
}

/** A member's name as its column keeps it; null for what is no text. */
export function packName(name: string): SqlValue {
  return typeof name === "string" ? sortableBytes(name) : null;
}

/** The text that `sortableBytes` was given. */
export function fromSortableBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  let plain = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== 0xed || bytes[at + 1]! < 0xa0) continue;
    const unit = 0xd000 | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f);
    parts.push(utf8(bytes.subarray(plain, at)), String.fromCharCode(unit));
    plain = at + 3;
    at += 2;
  }
  return parts.join("") + utf8(bytes.subarray(plain));
}

function taggedHex(tag: number, hex: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + hex.length / 2);
  bytes[0] = tag;
  bytes.write(hex, 1, "hex");
  return bytes;
}

/** The bytes of the UUID that begins at a place of a text. */
function taggedUuid(tag: number, text: string, from: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(17);
  bytes[0] = tag;
  for (let at = from, next = 1; next < 17; at += 2) {
    if (text.charCodeAt(at) === dash) at += 1;
    bytes[next] = (hexDigit(text.charCodeAt(at)) << 4) | hexDigit(text.charCodeAt(at + 1));
    next += 1;
  }
  return bytes;
}

/** The value of a lower-case hexadecimal digit: 0 to 9 stand before the letters. */
function hexDigit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
