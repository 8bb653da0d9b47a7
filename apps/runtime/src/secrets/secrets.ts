import type { JsonValue } from "@basis/core";

/** What stands where a secret stood that has no name. */
export const REDACTED = "[redacted]";

/** Fewest characters of a secret; a shorter text would be found everywhere. */
export const MIN_SECRET_CHARS = 8;

/** Texts that may reach no log, file, trace or answer, in the spellings in which programs print them. */
export class Secrets {
  /** What stands for each. */
  readonly #spellings = new Map<string, string>();
  readonly #starts = new Set<string>();
  #longest = 0;
  #pattern: RegExp | undefined;

  /** True while nothing is registered. */
  get isEmpty(): boolean {
    return this.#spellings.size === 0;
  }

  /** Registers a secret for good; `[redacted NAME]` stands for it. Shorter ones than `MIN_SECRET_CHARS` are not taken. */
  add(secret: string, name?: string): void {
    const mark = name === undefined ? REDACTED : `[redacted ${name}]`;
    const before = this.#spellings.size;
    for (const spelling of spellingsOf(secret)) {
      if (!this.#spellings.has(spelling)) this.#spellings.set(spelling, mark);
      this.#starts.add(spelling[0]!);
      this.#longest = Math.max(this.#longest, spelling.length);
    }
    if (this.#spellings.size === before) return;
    const longestFirst = [...this.#spellings.keys()].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp(longestFirst.map(literal).join("|"), "g");
  }

  /** Forgets all of them. For tests that share a process: a host never does. */
  clear(): void {
    this.#spellings.clear();
    this.#starts.clear();
    this.#longest = 0;
    this.#pattern = undefined;
  }

  /** The text without secrets; the same text when there is none in it. */
  redact(text: string): string {
    if (this.#pattern === undefined) return text;
    return text.replace(this.#pattern, (found) => this.#spellings.get(found) ?? REDACTED);
  }

  /** The value with every string and field name redacted; the same object when there is nothing to redact. */
  redactJson<T>(value: T): T {
    return this.#pattern === undefined ? value : (this.#walk(value as JsonValue) as T);
  }

  /** Where the end of a text begins that may be the beginning of a secret; its length when there is none. */
  openEnd(text: string): number {
    let from = text.length;
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at += 1) {
      if (!this.#starts.has(text[at]!) || !this.#begins(text.slice(at))) continue;
      from = at;
      break;
    }
    // What is one already is not cut in two.
    for (const { index, 0: found } of text.matchAll(this.#pattern ?? /(?!)/g))
      if (index < from && index + found.length > from) return index;
    return from;
  }

  #begins(text: string): boolean {
    for (const spelling of this.#spellings.keys())
      if (spelling.length > text.length && spelling.startsWith(text)) return true;
    return false;
  }

  #walk(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.redact(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#walk(item));
      return items.every((item, at) => item === value[at]) ? value : items;
    }
    const entries = Object.entries(value as Record<string, JsonValue>);
    const walked = entries.map(([name, item]) => [this.redact(name), this.#walk(item)] as const);
    const same = walked.every(([name, item], at) => name === entries[at]![0] && item === entries[at]![1]);
    return same ? value : Object.fromEntries(walked);
  }
}

/** Those of this process: what is a secret in one part of it is one in all. */
export const secrets: Secrets = new Secrets();

/** As it is, as JSON and URLs spell it, as base64; and of one of several lines, each long one. */
function spellingsOf(secret: string): readonly string[] {
  if (secret.trim().length < MIN_SECRET_CHARS) return [];
  const bytes = Buffer.from(secret, "utf8");
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 16 && !line.startsWith("-----"));
  return [
    secret,
    inJson(secret),
    // JSON that stands as a text in JSON.
    inJson(inJson(secret)),
    new URLSearchParams({ "": secret }).toString().slice(1),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    ...(secret.includes("\n") ? lines : []),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A text as a pattern that is nothing but it. */
function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
