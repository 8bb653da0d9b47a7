import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { quote } from "../issue-words.ts";
import { setOwn } from "../schema-walk.ts";
import type { Field } from "./object-codec.ts";
import { same, type Codec, type LiftIssue } from "./codec.ts";

/** A list: a codec for each of the first places, and one for all others. */
export class ListCodec implements Codec {
  readonly #first: readonly Codec[];
  readonly #others: Codec;

  constructor(first: readonly Codec[], others: Codec) {
    this.#first = first;
    this.#others = others;
  }

  #at(index: number): Codec {
    return this.#first[index] ?? this.#others;
  }

  lower(value: JsonValue): JsonValue | undefined {
    if (!Array.isArray(value)) return value;
    const written: JsonValue[] = [];
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const lowered = this.#at(index).lower(item);
      if (lowered === undefined) return undefined;
      written.push(lowered);
    }
    return written;
  }

  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue {
    if (!Array.isArray(written)) return written;
    const items = written as readonly JsonValue[];
    return items.map((item, index) => this.#at(index).lift(item, `${pointer}/${index}`, issues));
  }

  place([token, ...rest]: readonly string[], written: JsonValue | undefined): readonly string[] {
    if (token === undefined) return [];
    const item = Array.isArray(written) ? (written as readonly JsonValue[])[Number(token)] : undefined;
    return [token, ...this.#at(Number(token)).place(rest, item)];
  }
}

/** The name of a place in a tuple that is written as an object. */
export function placeName(index: number): string {
  return `item_${index + 1}`;
}

/** Where the items stand that come after a tuple's own places. */
export const REST = "other_items";

/** A list whose places have schemas of their own, written as an object. */
export class TupleCodec implements Codec {
  readonly #places: readonly Field[];
  readonly #rest: Codec | undefined;

  constructor(places: readonly Field[], rest: Codec | undefined) {
    this.#places = places;
    this.#rest = rest;
  }

  lower(value: JsonValue): JsonValue | undefined {
    if (!Array.isArray(value)) return value;
    const items = value as readonly JsonValue[];
    const written: JsonObject = {};
    for (const [index, { codec, absentAs }] of this.#places.entries()) {
      const lowered = index < items.length ? codec.lower(items[index]!) : undefined;
      if (lowered !== undefined) setOwn(written, placeName(index), lowered);
      else if (absentAs === "impossible" || index < items.length) return undefined;
      else if (absentAs === "null") setOwn(written, placeName(index), null);
    }
    const others = items.slice(this.#places.length);
    if (!this.#rest) return others.length === 0 ? written : undefined;
    const lowered = others.map((item) => this.#rest!.lower(item));
    if (!lowered.every((item) => item !== undefined)) return undefined;
    setOwn(written, REST, lowered);
    return written;
  }

  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue {
    if (!isJsonObject(written)) return written;
    const value: JsonValue[] = [];
    const rest = Object.hasOwn(written, REST) ? written[REST] : undefined;
    const others: readonly JsonValue[] = Array.isArray(rest) ? rest : [];
    let length = this.#places.length;
    // What comes after the places has its place only when none of these is missing.
    while (others.length === 0 && length > 0 && this.#isAbsent(written, length - 1)) length -= 1;
    for (const [index, { codec }] of this.#places.slice(0, length).entries()) {
      const name = placeName(index);
      if (Object.hasOwn(written, name)) value.push(codec.lift(written[name]!, `${pointer}/${name}`, issues));
      else issues.push({ pointer, keyword: "pairs", message: `missing property ${quote(name)}` });
    }
    for (const [index, item] of others.entries()) {
      value.push((this.#rest ?? same).lift(item, `${pointer}/${REST}/${index}`, issues));
    }
    return value;
  }

  #isAbsent(written: JsonObject, index: number): boolean {
    const name = placeName(index);
    if (!Object.hasOwn(written, name)) return true;
    return this.#places[index]!.nullIsAbsent && written[name] === null;
  }

  place([token, ...rest]: readonly string[], written: JsonValue | undefined): readonly string[] {
    if (token === undefined || !isJsonObject(written)) return [];
    const index = Number(token);
    const known = this.#places[index];
    if (known) return [placeName(index), ...known.codec.place(rest, written[placeName(index)])];
    const at = index - this.#places.length;
    const others = written[REST];
    const item = Array.isArray(others) ? (others as readonly JsonValue[])[at] : undefined;
    return [REST, String(at), ...(this.#rest ?? same).place(rest, item)];
  }
}
