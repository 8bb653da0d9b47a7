import type { JsonObject, JsonValue } from "@basis/core";
import { setOwn } from "../schema-walk.ts";
import { TextReader } from "./text-reader.ts";

type Container = Record<string, JsonValue> | JsonValue[];

interface OpenContainer {
  readonly container: Container;
  /** The member being written; undefined in a list and between members. */
  key: string | undefined;
  /** Members or items so far. */
  size: number;
}

/** What is expected next. */
type Expected = "value" | "value_or_end" | "key" | "key_or_end" | "colon" | "comma_or_end" | "nothing";

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LITERALS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const MAX_DEPTH = 64;

/**
 * Reads a JSON document piece by piece; each character is looked at once. What it cannot read, and what a strict
 * reading would refuse (a name twice, a prototype's name, too deep a nesting), makes it give up: the parts so far stay.
 */
export class PartialJson {
  /** True once the text cannot become an acceptable document. */
  failed = false;
  /** True once the document is whole. */
  complete = false;
  readonly #open: OpenContainer[] = [];
  #root: JsonValue | undefined;
  #expected: Expected = "value";
  /** The string being written, and whether it is a name. */
  #text: TextReader | undefined;
  #isKey = false;
  readonly #members: string[] = [];
  /** A number or literal being written. */
  #word = "";

  /** Reads the next piece. */
  feed(piece: string): void {
    let at = 0;
    this.length += piece.length;
    while (at < piece.length && !this.failed) {
      if (this.#text !== undefined) at = this.#readText(this.#text, piece, at);
      else {
        this.#readSyntax(piece[at]!);
        at += 1;
      }
    }
  }

  /** The root's member that is being written. */
  get openKey(): string | undefined {
    return this.#open[0]?.key;
  }

  /** The containers that are open, from the root; shared and growing, not to be changed. */
  get open(): readonly { readonly container: Container }[] {
    return this.#open;
  }

  /** The document so far, shared and growing, not to be changed; without the string being written. */
  get live(): JsonValue | undefined {
    return this.#root;
  }

  /** Characters read so far. */
  length = 0;

  /** The root's members that were completed since this was asked last. */
  takeMembers(): readonly string[] {
    return this.#members.splice(0);
  }

  /** How many values a snapshot copies; a text counts for its length. */
  get snapshotCost(): number {
    let cost = 1 + ((this.#text?.text.length ?? 0) >> 4);
    for (const { size } of this.#open) cost += size;
    return cost;
  }

  /** A frozen copy of what is known; closed parts are shared between snapshots. Undefined before the first value. */
  snapshot(): JsonValue | undefined {
    const isText = this.#text !== undefined && !this.#isKey;
    let inner: JsonValue | undefined = isText ? this.#text?.whole : undefined;
    for (let level = this.#open.length - 1; level >= 0; level -= 1) {
      inner = copyOpen(this.#open[level]!, inner, level < this.#open.length - 1);
    }
    return inner ?? this.#root;
  }

  #readText(reader: TextReader, ...[piece, from]: [string, number]): number {
    const at = reader.read(piece, from);
    if (reader.failed) this.failed = true;
    else if (reader.closed) this.#closeText(reader.text);
    return at;
  }

  #closeText(text: string): void {
    this.#text = undefined;
    if (!this.#isKey) return this.#put(text);
    const top = this.#open.at(-1)!;
    if (Object.hasOwn(top.container, text) || text === "__proto__") this.failed = true;
    top.key = text;
    this.#expected = "colon";
  }

  #readSyntax(unit: string): void {
    if (/[-+.\w]/.test(unit)) return this.#readWord(unit);
    if (this.#word !== "") this.#closeWord();
    if (/[ \t\r\n]/.test(unit)) return;
    if (unit === '"') this.#openText();
    else if (unit === "{" || unit === "[") this.#openContainer(unit);
    else if (unit === "}" || unit === "]") this.#closeContainer(unit);
    else this.#readMark(unit);
  }

  #readMark(unit: string): void {
    if (unit === ":" && this.#expected === "colon") this.#expected = "value";
    else if (unit === "," && this.#expected === "comma_or_end") {
      this.#expected = Array.isArray(this.#open.at(-1)?.container) ? "value" : "key";
    } else this.failed = true;
  }

  get #mayBegin(): boolean {
    return this.#expected === "value" || this.#expected === "value_or_end";
  }

  #readWord(unit: string): void {
    this.#word += unit;
    if (!this.#mayBegin || this.#word.length > 400) this.failed = true;
  }

  #closeWord(): void {
    const word = this.#word;
    this.#word = "";
    if (LITERALS.has(word)) this.#put(LITERALS.get(word)!);
    else if (NUMBER.test(word)) this.#put(Number(word));
    else this.failed = true;
  }

  #openText(): void {
    this.#isKey = this.#expected === "key" || this.#expected === "key_or_end";
    if (!this.#isKey && !this.#mayBegin) this.failed = true;
    this.#text = new TextReader();
  }

  #openContainer(unit: "{" | "["): void {
    if (!this.#mayBegin || this.#open.length >= MAX_DEPTH) {
      this.failed = true;
      return;
    }
    const container: Container = unit === "[" ? [] : {};
    this.#attach(container);
    this.#open.push({ container, key: undefined, size: 0 });
    this.#expected = unit === "[" ? "value_or_end" : "key_or_end";
  }

  #closeContainer(unit: "}" | "]"): void {
    const top = this.#open.at(-1);
    const mayEnd =
      this.#expected === "comma_or_end" || this.#expected === (unit === "]" ? "value_or_end" : "key_or_end");
    if (!top || !mayEnd || Array.isArray(top.container) !== (unit === "]")) {
      this.failed = true;
      return;
    }
    Object.freeze(top.container);
    this.#open.pop();
    this.#closeValue();
  }

  #put(value: JsonValue): void {
    this.#attach(value);
    this.#closeValue();
  }

  #attach(value: JsonValue): void {
    const top = this.#open.at(-1);
    if (!top) this.#root = value;
    else if (Array.isArray(top.container)) top.container.push(value);
    else setOwn(top.container, top.key!, value);
    if (top) top.size += 1;
  }

  #closeValue(): void {
    const top = this.#open.at(-1);
    if (this.#open.length === 1 && top?.key !== undefined) this.#members.push(top.key);
    if (top) top.key = undefined;
    else this.complete = true;
    this.#expected = top ? "comma_or_end" : "nothing";
  }
}

/** A frozen copy of an open container, its open part replaced by that part's own copy. */
function copyOpen(
  { container, key }: OpenContainer,
  inner: JsonValue | undefined,
  holdsOpen: boolean,
): JsonValue {
  if (Array.isArray(container)) {
    const items = holdsOpen ? container.slice(0, -1) : [...container];
    if (inner !== undefined) items.push(inner);
    return Object.freeze(items);
  }
  const copy: JsonObject = { ...container };
  if (inner !== undefined && key !== undefined) setOwn(copy, key, inner);
  return Object.freeze(copy);
}
