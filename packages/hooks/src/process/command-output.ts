import { isUtf8 } from "node:buffer";

/** Keeps the first bytes of a stream up to a limit, and counts all of them. */
export class CappedOutput {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a chunk; false once there is more than the limit, and nothing is kept any more. */
  add(chunk: Buffer): boolean {
    this.#total += chunk.length;
    if (this.isOver) this.#chunks = [];
    else this.#chunks.push(chunk);
    return !this.isOver;
  }

  get isOver(): boolean {
    return this.#total > this.#limit;
  }

  /** The whole text. What is no UTF-8 stands as U+FFFD in it; then `exact` is false. */
  text(): { readonly text: string; readonly exact: boolean } {
    const bytes = Buffer.concat(this.#chunks);
    return { text: bytes.toString("utf8"), exact: isUtf8(bytes) };
  }
}

/** Keeps the last bytes of a stream. */
export class OutputTail {
  readonly #limit: number;
  #tail: Buffer = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.#tail, chunk.subarray(-this.#limit)]);
    this.#tail = joined.subarray(-this.#limit);
  }

  /** The text, beginning at a character boundary, without the white space around it. */
  text(): string {
    let start = 0;
    while (start < 3 && isContinuation(this.#tail[start])) start += 1;
    return this.#tail.subarray(start).toString("utf8").trim();
  }
}

/** The beginning of a text, at most so many bytes, cut between characters; a cut one says how long it was. */
export function quoteStart(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return `${bytes.subarray(0, end).toString("utf8")}… (${bytes.length} bytes in all)`;
}

/** True for a byte that goes on with a character of UTF-8. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
