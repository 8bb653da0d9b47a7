const MAX_DEPTH = 200;

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The offset at which a text stops being JSON; its length when it merely stops too early, undefined when nothing is
 * wrong. `JSON.parse` knows this too but does not always say it. Source: RFC 8259.
 */
export function syntaxErrorOffset(text: string): number | undefined {
  const reader = new SyntaxReader(text);
  return reader.value(0) && reader.skipSpace() === text.length ? undefined : reader.at;
}

/** Reads as far as the text is JSON; each method is false where it stops being that, and `at` stays there. */
class SyntaxReader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): boolean {
    this.skipSpace();
    if (depth > MAX_DEPTH) return false;
    const first = this.#text[this.at];
    if (first === "{") return this.#list("}", () => this.#member(depth));
    if (first === "[") return this.#list("]", () => this.value(depth + 1));
    return this.#take(first === '"' ? STRING : WORD);
  }

  skipSpace(): number {
    this.#take(SPACE);
    return this.at;
  }

  #list(close: string, readItem: () => boolean): boolean {
    this.at += 1;
    if (this.#text[this.skipSpace()] === close) return this.#step();
    while (readItem()) {
      const next = this.#text[this.skipSpace()];
      if (next === close) return this.#step();
      if (next !== ",") return false;
      this.at += 1;
    }
    return false;
  }

  #member(depth: number): boolean {
    this.skipSpace();
    if (!this.#take(STRING) || this.#text[this.skipSpace()] !== ":") return false;
    this.at += 1;
    return this.value(depth + 1);
  }

  #take(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.#text)) return false;
    this.at = token.lastIndex;
    return true;
  }

  #step(): true {
    this.at += 1;
    return true;
  }
}
