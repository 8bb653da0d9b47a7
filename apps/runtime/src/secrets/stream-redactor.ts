import type { Secrets } from "./secrets.ts";

/**
 * Redacts a text that comes in pieces: an end that may begin a secret waits for the next piece. What does not look like
 * one is passed on at once.
 */
export class StreamRedactor {
  readonly #secrets: Secrets;
  #held = "";

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** What may be shown now, perhaps nothing. */
  take(piece: string): string {
    if (this.#secrets.isEmpty && this.#held === "") return piece;
    const text = this.#held + piece;
    const open = this.#secrets.openEnd(text);
    this.#held = text.slice(open);
    return this.#secrets.redact(text.slice(0, open));
  }

  /** What was held back, once nothing more comes. */
  end(): string {
    const rest = this.#secrets.redact(this.#held);
    this.#held = "";
    return rest;
  }
}
