/** A JSON value as the reference reads it: objects are maps, so that no key means anything to it. */
export type ReferenceValue =
  | string
  | number
  | boolean
  | null
  | readonly ReferenceValue[]
  | ReadonlyMap<string, ReferenceValue>;

const MAX_DEPTH = 64;

/** Why a text is refused; the reference has no words for it. */
class Refused extends Error {}

/**
 * Reads exactly one JSON document by the grammar of RFC 8259, or answers undefined. Beyond the grammar it refuses a key
 * that stands twice in an object, the key `__proto__`, `prototype` in an object called `constructor`, and nesting
 * deeper than 64 levels.
 */
export function referenceJson(text: string): ReferenceValue | undefined {
  try {
    return new Reader(text).document();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): ReferenceValue {
    const value = this.#element(0, "");
    if (this.#at < this.#text.length) throw new Refused();
    return value;
  }

  /** A value with the white space around it; `name` is the key that it stands under. */
  #element(depth: number, name: string): ReferenceValue {
    this.#space();
    const value = this.#value(depth, name);
    this.#space();
    return value;
  }

  #value(depth: number, name: string): ReferenceValue {
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth + 1, name);
    if (first === "[") return this.#array(depth + 1);
    if (first === '"') return this.#string();
    if (this.#takes("true")) return true;
    if (this.#takes("false")) return false;
    if (this.#takes("null")) return null;
    return this.#number();
  }

  #object(depth: number, name: string): ReferenceValue {
    if (depth > MAX_DEPTH) throw new Refused();
    const members = new Map<string, ReferenceValue>();
    this.#expect("{");
    this.#space();
    if (this.#takes("}")) return members;
    do {
      this.#space();
      const key = this.#string();
      this.#space();
      this.#expect(":");
      if (members.has(key) || key === "__proto__") throw new Refused();
      if (key === "prototype" && name === "constructor") throw new Refused();
      members.set(key, this.#element(depth, key));
    } while (this.#takes(","));
    this.#expect("}");
    return members;
  }

  #array(depth: number): ReferenceValue {
    if (depth > MAX_DEPTH) throw new Refused();
    const items: ReferenceValue[] = [];
    this.#expect("[");
    this.#space();
    if (this.#takes("]")) return items;
    do items.push(this.#element(depth, ""));
    while (this.#takes(","));
    this.#expect("]");
    return items;
  }

  #string(): string {
    let value = "";
    this.#expect('"');
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || char < " ") throw new Refused();
      this.#at += 1;
      if (char === '"') return value;
      value += char === "\\" ? this.#escape() : char;
    }
  }

  #escape(): string {
    const char = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (char === "u") return String.fromCharCode(this.#hex());
    const at = 'bfnrt"\\/'.indexOf(char);
    if (char === "" || at < 0) throw new Refused();
    return '\b\f\n\r\t"\\/'.charAt(at);
  }

  #hex(): number {
    let code = 0;
    for (let count = 0; count < 4; count += 1) {
      const digit = "0123456789abcdef".indexOf((this.#text[this.#at] ?? "?").toLowerCase());
      if (digit < 0) throw new Refused();
      code = code * 16 + digit;
      this.#at += 1;
    }
    return code;
  }

  #number(): number {
    const start = this.#at;
    this.#takes("-");
    if (!this.#takes("0")) this.#digits();
    if (this.#takes(".")) this.#digits();
    if (this.#takes("e") || this.#takes("E")) {
      if (!this.#takes("+")) this.#takes("-");
      this.#digits();
    }
    return Number(this.#text.slice(start, this.#at));
  }

  #digits(): void {
    const start = this.#at;
    while (isDigit(this.#text[this.#at])) this.#at += 1;
    if (this.#at === start) throw new Refused();
  }

  #space(): void {
    while ([" ", "\t", "\n", "\r"].includes(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #takes(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Refused();
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}
