import { maxBodyBytes } from "../message-body.ts";
import { fromBase64, toBase64 } from "./base64.ts";
import { BundleFlaw } from "./bundle-flaw.ts";
import type { ChunkLine } from "./bundle-lines.ts";
import { invalidField } from "./line-fields.ts";

/** Bytes of content per chunk. */
const CHUNK_BYTES = 196_608;

/** Content as the lines that carry it; none for no bytes. */
export function* chunksOf(bytes: Uint8Array): Generator<ChunkLine, void, undefined> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield { type: "chunk", base64: toBase64(bytes.subarray(at, at + CHUNK_BYTES)) };
  }
}

/** Content that is put together again. Holds at most 64 MiB, and never more than was announced. */
export class ContentInPieces {
  readonly #announced: number;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** @throws BundleFlaw `invalid_field` for more than 64 MiB. */
  constructor(bytes: number) {
    if (bytes > maxBodyBytes) throw invalidField("bytes", `is more than ${maxBodyBytes}`);
    this.#announced = bytes;
  }

  get isWhole(): boolean {
    return this.#bytes === this.#announced;
  }

  /** @throws BundleFlaw `invalid_field` for what is no base64, empty, or more than was announced. */
  add({ base64 }: ChunkLine): void {
    const piece = fromBase64(base64);
    if (piece === undefined || piece.length === 0) throw invalidField("base64", "is no base64");
    this.#bytes += piece.length;
    if (this.#bytes > this.#announced)
      throw invalidField("base64", `is more than the ${this.#announced} bytes announced`);
    this.#pieces.push(piece);
  }

  /** The whole content. */
  whole(): Uint8Array {
    const whole = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }
}

/** The text of content. @throws BundleFlaw `invalid_field` for what is no UTF-8. */
export function textOf(content: Uint8Array, field: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new BundleFlaw("invalid_field", field, "is no UTF-8");
  }
}
