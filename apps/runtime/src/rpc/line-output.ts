import type { Writable } from "node:stream";

import { secrets } from "../secrets/secrets.ts";

/** Bytes that may wait for the reader before nothing more is added unasked: 1 MiB. */
const ROOM_BYTES = 1024 * 1024;

/** Lines to a reader that may be slow. */
export class LineOutput {
  readonly #stream: Writable;
  readonly #waiting = new Set<() => void>();

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("drain", () => this.#wake()).on("close", () => this.#wake());
    // What a reader that went away means is decided by who opened the stream.
    stream.on("error", () => this.#wake());
  }

  /** True while the reader keeps up. */
  get hasRoom(): boolean {
    return this.isOpen && this.#stream.writableLength < ROOM_BYTES;
  }

  /** False once the reader is gone. */
  get isOpen(): boolean {
    return this.#stream.writable;
  }

  /** Sends one line, without the secrets in it. */
  send(text: string): void {
    if (this.isOpen) this.#stream.write(`${secrets.redact(text)}\n`);
  }

  /** Called each time that there may be room again; the answer stops that. */
  onRoom(act: () => void): () => void {
    this.#waiting.add(act);
    return () => void this.#waiting.delete(act);
  }

  /** Resolves once everything has gone out, or the reader has gone. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isOpen) return resolve();
      this.#stream.write("", () => resolve());
    });
  }

  #wake(): void {
    for (const act of this.#waiting) act();
  }
}
