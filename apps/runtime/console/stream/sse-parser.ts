/** A server-sent event. */
export interface Frame {
  /** `message` where none was named. */
  readonly event: string;
  /** The id that it brought, if it did. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Longest text of one frame, in characters. */
const MAX_FRAME_CHARS = 64 * 1024 * 1024;

/**
 * Takes a stream of server-sent events apart, however it is cut into pieces.
 *
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class SseParser {
  #rest = "";
  #event = "";
  #id: string | undefined;
  #data: string[] = [];
  #isFirst = true;
  #hadReturn = false;

  /** The frames that a piece completes. @throws RangeError when a frame has no end. */
  push(piece: string): readonly Frame[] {
    const text = this.#rest + this.#continued(piece);
    if (text.length > MAX_FRAME_CHARS) throw new RangeError("a frame of the stream has no end");
    const lines = text.split(/\r\n|\n|\r/);
    this.#rest = lines.pop()!;
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  /** Without a byte order mark at the beginning, and the second half of a line's end whose first half came before. */
  #continued(piece: string): string {
    if (piece === "") return piece;
    const start =
      (this.#isFirst && piece.startsWith("\u{feff}")) || (this.#hadReturn && piece.startsWith("\n"));
    this.#isFirst = false;
    this.#hadReturn = piece.endsWith("\r");
    return start ? piece.slice(1) : piece;
  }

  #line(line: string): Frame | undefined {
    if (line === "") return this.#finish();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    if (name === "event") this.#event = value;
    if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #finish(): Frame | undefined {
    const [event, id, data] = [this.#event || "message", this.#id, this.#data];
    this.#event = "";
    this.#id = undefined;
    this.#data = [];
    return data.length === 0 ? undefined : { event, id, data: data.join("\n") };
  }
}
