/** What may stand in a string as it is. */
const PLAIN = /[^"\\\p{Cc}]+|[\u007f-\u009f]+/uy;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads a JSON string piece by piece, from after its first quote. */
export class TextReader {
  text = "";
  /** True once the closing quote was read. */
  closed = false;
  failed = false;
  #escape = "";
  #endsHalf = false;

  /** Reads from a place on; answers the place after what belongs to the string. */
  read(piece: string, from: number): number {
    let at = from;
    while (at < piece.length && !this.closed && !this.failed) at = this.#step(piece, at);
    return at;
  }

  /** The text so far, without the first half of a character whose second half is still to come. */
  get whole(): string {
    return this.#endsHalf ? this.text.slice(0, -1) : this.text;
  }

  #step(piece: string, at: number): number {
    if (this.#escape !== "") return this.#readEscape(piece, at);
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(piece)?.[0] ?? "";
    if (plain !== "") {
      this.#append(plain);
      return at + plain.length;
    }
    const unit = piece[at];
    if (unit === '"') this.closed = true;
    else if (unit === "\\") this.#escape = "\\";
    else this.failed = true;
    return at + 1;
  }

  #readEscape(piece: string, at: number): number {
    this.#escape += piece[at];
    const kind = this.#escape[1]!;
    if (kind === "u" && this.#escape.length < 6) return at + 1;
    const code = this.#escape.slice(2);
    if (kind === "u" && /^[0-9a-fA-F]{4}$/.test(code)) {
      this.#append(String.fromCharCode(Number.parseInt(code, 16)));
    } else if (kind !== "u" && Object.hasOwn(ESCAPES, kind)) this.#append(ESCAPES[kind]!);
    else this.failed = true;
    this.#escape = "";
    return at + 1;
  }

  #append(part: string): void {
    this.text += part;
    this.#endsHalf = (part.charCodeAt(part.length - 1) & 0xfc00) === 0xd800;
  }
}
