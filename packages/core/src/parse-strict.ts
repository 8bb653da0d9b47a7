import { locateSyntaxError, refuse, tooDeep } from "./json-syntax.ts";
import { childPointer, type JsonProblem, type StrictParse, type StrictParseOptions } from "./json.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/**
 * Reads exactly one JSON document, more strictly than `JSON.parse`.
 *
 * Refuses duplicate keys, a `__proto__` key, a `constructor` object that holds `prototype`, nesting beyond
 * `maxDepth`, texts beyond `maxBytes`, and anything after the document. A text that merely stops too early
 * is `unterminated`. Never throws and never repairs. Source: RFC 8259; RFC 7493 section 2.3 for the keys.
 */
export function parseStrict(text: string, options: StrictParseOptions = {}): StrictParse {
  const { maxBytes = MAX_BYTES, maxDepth = MAX_DEPTH } = options;
  if (text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes)) {
    return refuse("too_large", `the text is larger than ${maxBytes} bytes`, 0);
  }
  let value: ReturnType<typeof JSON.parse>;
  try {
    value = JSON.parse(text);
  } catch {
    return locateSyntaxError(text, maxDepth);
  }
  if (typeof value !== "object" || value === null) {
    const lossy = typeof value === "number" && losesDigits(text.trim());
    return { ok: true, value, unsafeIntegers: lossy ? [""] : [] };
  }
  return new Scan(text, maxDepth).check(value);
}

/** Walks a text that `JSON.parse` accepted, for the facts that it drops: duplicate keys, depth, lost digits. */
class Scan {
  readonly text: string;
  readonly maxDepth: number;
  at = 0;
  failure: StrictParse | undefined;
  unsafe: string[] = [];

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  check(value: ReturnType<typeof JSON.parse>): StrictParse {
    this.value("", "", 1);
    return this.failure ?? { ok: true, value, unsafeIntegers: this.unsafe };
  }

  /** `parent` and `key` name the value; the pointer is built only when something is wrong with it. */
  value(parent: string, key: string | number, depth: number): void {
    const code = this.skipSpace();
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (depth > this.maxDepth) {
        this.failure = tooDeep(this.maxDepth, this.at);
        return;
      }
      const path = depth === 1 ? "" : childPointer(parent, key);
      if (code === OPEN_BRACE) this.object(path, String(key), depth);
      else this.array(path, depth);
    } else if (code === QUOTE) this.string();
    else this.scalar(parent, key);
  }

  object(path: string, ownKey: string, depth: number): void {
    const seen = new KeySet();
    this.at += 1;
    while (this.skipSpace() !== CLOSE_BRACE) {
      if (this.text.charCodeAt(this.at) === COMMA) {
        this.at += 1;
        continue;
      }
      const start = this.at;
      const key = this.key();
      const problem = keyProblem(key, ownKey, seen);
      if (problem)
        this.failure = refuse(problem, `${describeKey(problem, key)} at ${path || "the root"}`, start);
      if (this.failure) return;
      this.skipSpace();
      this.at += 1; // the colon
      this.value(path, key, depth + 1);
      if (this.failure) return;
    }
    this.at += 1;
  }

  array(path: string, depth: number): void {
    let index = 0;
    this.at += 1;
    while (this.skipSpace() !== CLOSE_BRACKET) {
      if (this.text.charCodeAt(this.at) === COMMA) this.at += 1;
      this.value(path, index, depth + 1);
      if (this.failure) return;
      index += 1;
    }
    this.at += 1;
  }

  key(): string {
    const start = this.at + 1;
    this.string();
    const raw = this.text.slice(start, this.at - 1);
    return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
  }

  string(): void {
    const { text } = this;
    let end = text.indexOf('"', this.at + 1);
    while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) {
      end = text.indexOf('"', end + 1);
    }
    this.at = end + 1;
  }

  scalar(parent: string, key: string | number): void {
    const start = this.at;
    let code = this.text.charCodeAt(this.at);
    while (code > 0x20 && code !== COMMA && code !== CLOSE_BRACE && code !== CLOSE_BRACKET) {
      this.at += 1;
      code = this.text.charCodeAt(this.at);
    }
    if (this.at - start > 15 && losesDigits(this.text.slice(start, this.at))) {
      this.unsafe.push(childPointer(parent, key));
    }
  }

  skipSpace(): number {
    let code = this.text.charCodeAt(this.at);
    while (code <= 0x20) {
      this.at += 1;
      code = this.text.charCodeAt(this.at);
    }
    return code;
  }
}

/** Remembers an object's keys: a short list while there are few, a Set beyond. */
class KeySet {
  few: string[] = [];
  many: Set<string> | undefined;

  /** Adds a key; false when it was there already. */
  add(key: string): boolean {
    if (this.many) return this.many.size < this.many.add(key).size;
    if (this.few.includes(key)) return false;
    this.few.push(key);
    if (this.few.length > 16) this.many = new Set(this.few);
    return true;
  }
}

function keyProblem(key: string, ownKey: string, seen: KeySet): JsonProblem | undefined {
  if (!seen.add(key)) return "duplicate_key";
  if (key === "__proto__" || (key === "prototype" && ownKey === "constructor")) return "prototype_key";
  return undefined;
}

function describeKey(problem: JsonProblem, key: string): string {
  const shown = JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key);
  return problem === "duplicate_key" ? `the key ${shown} stands twice` : `the key ${shown} is not accepted`;
}

/** True when the quote at `end` is escaped: an odd number of backslashes stands before it. */
function isEscaped(text: string, end: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}

/** True for an integer literal (no fraction, no exponent) that a double cannot hold exactly. */
function losesDigits(literal: string): boolean {
  return /^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal));
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
