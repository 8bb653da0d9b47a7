import { MAX_MESSAGE_BYTES } from "./rpc-message.ts";

const NEWLINE = 0x0a;

/** What is told of a stream of lines. */
export interface LineListener {
  line(text: string): void;
  /** A line that is no text that could be read; the ones after it are. */
  unreadable(problem: string): void;
}

/** Cuts bytes into lines of UTF-8. Blank ones are passed over; of one that is too long nothing is kept. */
export class LineInput {
  readonly #listener: LineListener;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(listener: LineListener, maxBytes: number = MAX_MESSAGE_BYTES) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes. */
  take(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      this.#hold(rest.subarray(0, at));
      this.end();
      rest = rest.subarray(at + 1);
    }
    this.#hold(rest);
  }

  /** Ends the line that is held, if any. */
  end(): void {
    const bytes = Buffer.concat(this.#pieces);
    const isTooLong = this.#held > this.#maxBytes;
    this.#pieces = [];
    this.#held = 0;
    if (isTooLong) return this.#listener.unreadable(`a line has at most ${this.#maxBytes} bytes`);
    let text: string;
    try {
      text = this.#decoder.decode(bytes);
    } catch {
      return this.#listener.unreadable("a line must be UTF-8");
    }
    if (text.trim() !== "") this.#listener.line(text);
  }

  #hold(piece: Buffer): void {
    this.#held += piece.length;
    if (this.#held > this.#maxBytes) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }
}
