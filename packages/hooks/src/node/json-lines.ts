/** The line, counted from 1, on which an offset of a text lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/**
 * The line on which the value of a JSON pointer begins; for a member, the line of its key.
 * The text must be valid JSON. A pointer into what is not there gives the line of the nearest value above it.
 */
export function lineOfPointer(text: string, pointer: string): number {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return lineAt(text, new Walk(text).offsetOf(tokens));
}

/** Steps through the tokens of a valid JSON text. */
class Walk {
  readonly #text: string;
  readonly #token: RegExp = /\s*("(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+)/gy;

  constructor(text: string) {
    this.#text = text;
  }

  offsetOf(tokens: readonly string[]): number {
    let found = this.#skipSpace(0);
    let at = found;
    for (const token of tokens) {
      const member = this.#member(at, token);
      if (member === undefined) break;
      found = member.keyAt;
      at = member.valueAt;
    }
    return found;
  }

  /** Where the named member or item of the container at this offset stands. */
  #member(start: number, name: string): { readonly keyAt: number; readonly valueAt: number } | undefined {
    const open = this.#text[start];
    if (open !== "{" && open !== "[") return undefined;
    let at = this.#skipSpace(start + 1);
    for (let index = 0; this.#text[at] !== "}" && this.#text[at] !== "]"; index += 1) {
      const keyAt = at;
      let key = String(index);
      if (open === "{") {
        const end = this.#skipToken(at);
        key = JSON.parse(this.#text.slice(at, end)) as string;
        at = this.#skipSpace(this.#skipToken(end));
      }
      if (key === name) return { keyAt, valueAt: at };
      at = this.#skipSpace(this.#skipValue(at));
      if (this.#text[at] === ",") at = this.#skipSpace(at + 1);
    }
    return undefined;
  }

  #skipSpace(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) <= 0x20) at += 1;
    return at;
  }

  #skipToken(from: number): number {
    this.#token.lastIndex = from;
    this.#token.test(this.#text);
    return this.#token.lastIndex;
  }

  #skipValue(from: number): number {
    let depth = 0;
    let at = from;
    do {
      const start = this.#skipSpace(at);
      const first = this.#text[start];
      if (first === "{" || first === "[") depth += 1;
      if (first === "}" || first === "]") depth -= 1;
      at = this.#skipToken(start);
    } while (depth > 0);
    return at;
  }
}
