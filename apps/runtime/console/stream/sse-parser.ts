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

  /** The frames that a piece completes. @throws RangeError when a frame has no end. */
  push(piece: string): readonly Frame[] {
    let text = this.#rest + piece;
    if (this.#isFirst && text !== "") {
      this.#isFirst = false;
      if (text.startsWith("\u{feff}")) text = text.slice(1);
    }
    if (text.length > MAX_FRAME_CHARS) throw new RangeError("a frame of the stream has no end");
    // A carriage return at the end may be half of a line's end.
    const held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + held;
    return lines.flatMap((line) => this.#line(line) ?? []);
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
