import { sha256 } from "@basis/core";

/** The prefix digest of no message at all. */
export const emptyDigest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** What a prefix digest covers of a row, beside the rows before it. */
export interface DigestedRow {
  readonly salt: string;
  readonly id: string;
  readonly kind: string;
  readonly turnId: string | null;
  /** Canonical JSON, or the digest of the blob that it lies in. */
  readonly body: string;
}

const SALT_BYTES = 16;

/** Random bytes are drawn for many salts at once: the call costs more than the bytes. */
const pool = new Uint8Array(SALT_BYTES * 512);
let used = pool.length;

/** The characters of a salt; one flat text is made of them, where pieces put together would be many. */
const characters: number[] = Array.from({ length: SALT_BYTES * 2 }, () => 0);

/** A row's salt: 128 random bits in hexadecimal. With the salt gone the digest no longer tells a guessed body right. */
export function newSalt(): string {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  for (let at = 0; at < SALT_BYTES; at += 1) {
    const byte = pool[used + at]!;
    characters[at * 2] = DIGITS[byte >>> 4]!;
    characters[at * 2 + 1] = DIGITS[byte & 0xf]!;
    pool[used + at] = 0; // a salt is to be found in its row alone
  }
  used += SALT_BYTES;
  return String.fromCharCode(...characters);
}

/** The characters of the hexadecimal digits: a look-up, where a choice between figures and letters is foreseen half the time. */
const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** The prefix digest after a row: of the one before it and of the row. No part holds a NUL, so none is taken for another. */
export function rowDigest(before: string, { salt, id, kind, turnId, body }: DigestedRow): string {
  return `sha256:${sha256([before, salt, id, kind, turnId ?? "", body].join("\0"))}`;
}

/** As `rowDigest` was until bundles of version 2; rows keep the digest that they were written with. `body` is the text itself. */
export function firstRowDigest(before: string, { salt, id, kind, turnId, body }: DigestedRow): string {
  return `sha256:${sha256(`${before}\n${sha256(JSON.stringify([salt, id, kind, turnId, body]))}`)}`;
}
