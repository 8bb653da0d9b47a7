import type { IncomingMessage } from "node:http";

/** The text of a body, or why there is none. */
export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: "too_large" | "busy" | "not_utf8" | "gone" };

/** Reads bodies, and holds no more than so many bytes of them at once. */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #maxHeld: number;
  #held = 0;

  constructor(maxBytes: number, maxHeld: number) {
    this.#maxBytes = maxBytes;
    this.#maxHeld = maxHeld;
  }

  /** Reads a body. One that is too large is not read to its end. */
  async read(request: IncomingMessage): Promise<Body> {
    const pieces: Buffer[] = [];
    let length = 0;
    try {
      if (Number(request.headers["content-length"] ?? 0) > this.#maxBytes)
        return { ok: false, problem: "too_large" };
      // The connection stays, so that a refusal can be answered.
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += piece.length;
        this.#held += piece.length;
        if (length > this.#maxBytes) return { ok: false, problem: "too_large" };
        if (this.#held > this.#maxHeld) return { ok: false, problem: "busy" };
        pieces.push(piece);
      }
      return {
        ok: true,
        text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces)),
      };
    } catch (error) {
      return { ok: false, problem: error instanceof TypeError ? "not_utf8" : "gone" };
    } finally {
      this.#held -= length;
    }
  }
}
