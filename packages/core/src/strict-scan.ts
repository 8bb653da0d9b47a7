import { refuse, tooDeep } from "./json-syntax.ts";
import { childPointer, type JsonProblem, type JsonValue, type StrictParse } from "./json.ts";
import { endOfString } from "./text-survey.ts";

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Walks a text that `JSON.parse` accepted, for the facts that it drops: duplicate keys, depth, lost digits. */
export class StrictScan {
  readonly text: string;
  readonly maxDepth: number;
  at = 0;
  failure: StrictParse | undefined;
  unsafe: string[] = [];

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  check(value: JsonValue, longNumbers: boolean): StrictParse {
    this.value("", "", 1);
    return this.failure ?? { ok: true, value, unsafeIntegers: this.unsafe, longNumbers };
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
    this.at = endOfString(this.text, this.at) + 1;
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

/** True for an integer literal (no fraction, no exponent) that a double cannot hold exactly. */
export function losesDigits(literal: string): boolean {
  return /^-?\d{16,}$/.test(literal) && !Number.isSafeInteger(Number(literal));
}
