import { childPointer } from "@basis/core";

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/y;

/** The line (from 1) that an offset in a text lies on. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** The line of every value of a JSON text, by JSON pointer. The text must be one that `JSON.parse` takes. */
export function valueLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const reader = new TokenReader(text);
  const visit = (pointer: string): void => {
    const token = reader.next();
    lines.set(pointer, reader.line);
    if (token === "{") members(pointer);
    else if (token === "[") items(pointer);
  };
  const members = (pointer: string): void => {
    for (let token = reader.next(); token !== "}"; token = reader.next()) {
      if (token === ",") continue;
      reader.next();
      visit(childPointer(pointer, JSON.parse(token) as string));
    }
  };
  const items = (pointer: string): void => {
    for (let index = 0; reader.peek() !== "]"; index += 1) {
      if (reader.peek() === ",") reader.next();
      visit(childPointer(pointer, index));
    }
    reader.next();
  };
  visit("");
  return lines;
}

/** Reads a JSON text token by token and knows the line of the last one. */
class TokenReader {
  readonly #text: string;
  #at = 0;
  #counted = 0;
  line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): string {
    return this.#read()?.[1] ?? "";
  }

  next(): string {
    const found = this.#read();
    if (found === null) throw new SyntaxError("the text ends inside a value");
    const token = found[1] ?? "";
    this.#at += found[0].length;
    const start = this.#at - token.length;
    for (; this.#counted < start; this.#counted += 1) {
      if (this.#text.charCodeAt(this.#counted) === 0x0a) this.line += 1;
    }
    return token;
  }

  #read(): RegExpExecArray | null {
    TOKEN.lastIndex = this.#at;
    return TOKEN.exec(this.#text);
  }
}
