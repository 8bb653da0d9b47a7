import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { quote } from "../issue-words.ts";
import { setOwn } from "../schema-walk.ts";
import { same, type Codec, type LiftIssue } from "./codec.ts";

/** A property that an object names. */
export interface Field {
  readonly codec: Codec;
  /** What is written where the author's value leaves it out; `impossible`: it may not. */
  readonly absentAs: "omitted" | "null" | "impossible";
  /** True where null can only mean that it is left out. */
  readonly nullIsAbsent: boolean;
}

/** Members that an object does not name. */
export interface Extras {
  /** `pairs`: a list of keys and values under `name`; `open`: beside the others; `closed`: they have no form. */
  readonly style: "pairs" | "open" | "closed";
  readonly name: string;
  codecOf(key: string): Codec;
}

/** An object whose members have codecs of their own. */
export class ObjectCodec implements Codec {
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #extras: Extras;

  constructor(fields: ReadonlyMap<string, Field>, extras: Extras) {
    this.#fields = fields;
    this.#extras = extras;
  }

  lower(value: JsonValue): JsonValue | undefined {
    if (!isJsonObject(value)) return value;
    const written = {};
    for (const [name, { codec, absentAs }] of this.#fields) {
      const member = Object.hasOwn(value, name) ? codec.lower(value[name]!) : undefined;
      if (member !== undefined) setOwn(written, name, member);
      else if (Object.hasOwn(value, name) || absentAs === "impossible") return undefined;
      else if (absentAs === "null") setOwn(written, name, null);
    }
    return this.#lowerExtras(value, written);
  }

  #lowerExtras(value: JsonObject, written: object): JsonValue | undefined {
    const { style, name, codecOf } = this.#extras;
    const others = Object.entries(value).filter(([key]) => !this.#fields.has(key));
    if (style === "closed") return others.length === 0 ? (written as JsonObject) : undefined;
    const pairs: JsonValue[] = [];
    for (const [key, member] of others) {
      const lowered = codecOf(key).lower(member);
      if (lowered === undefined) return undefined;
      if (style === "open") setOwn(written, key, lowered);
      else pairs.push({ key, value: lowered });
    }
    if (style === "pairs") setOwn(written, name, pairs);
    return written as JsonObject;
  }

  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue {
    if (!isJsonObject(written)) return written;
    const value: JsonObject = {};
    const isPairs = this.#extras.style === "pairs";
    for (const [name, member] of Object.entries(written)) {
      if (isPairs && name === this.#extras.name && Array.isArray(member)) continue;
      const field = this.#fields.get(name);
      if (field?.nullIsAbsent && member === null) continue;
      setOwn(value, name, this.#codecOf(name).lift(member, childPointer(pointer, name), issues));
    }
    if (isPairs) this.#liftPairs(written, value, { pointer, issues });
    return value;
  }

  #codecOf(name: string): Codec {
    const known = this.#fields.get(name)?.codec;
    return known ?? (this.#extras.style === "open" ? this.#extras.codecOf(name) : same);
  }

  #liftPairs(
    written: JsonObject,
    value: object,
    { pointer, issues }: { pointer: string; issues: LiftIssue[] },
  ): void {
    const { name, codecOf } = this.#extras;
    const pairs = Object.hasOwn(written, name) ? written[name] : undefined;
    if (!Array.isArray(pairs)) return;
    const at = childPointer(pointer, name);
    for (const [index, pair] of (pairs as readonly JsonValue[]).entries()) {
      const place = `${at}/${index}`;
      if (!isJsonObject(pair) || typeof pair["key"] !== "string" || pair["value"] === undefined) {
        issues.push({ pointer: place, keyword: "pairs", message: 'expected {"key": …, "value": …}' });
        continue;
      }
      const { key, value: member } = pair as { key: string; value: JsonValue };
      if (Object.hasOwn(value, key)) {
        const message = `the key ${quote(key)} stands there twice`;
        issues.push({ pointer: `${place}/key`, keyword: "pairs", message });
      } else setOwn(value, key, codecOf(key).lift(member, `${place}/value`, issues));
    }
  }

  place(tokens: readonly string[], written: JsonValue | undefined): readonly string[] {
    const [name, ...rest] = tokens;
    if (name === undefined || !isJsonObject(written)) return tokens;
    const field = this.#fields.get(name);
    const member = Object.hasOwn(written, name) ? written[name] : undefined;
    if (field || this.#extras.style !== "pairs") return [name, ...this.#codecOf(name).place(rest, member)];
    const pairs = written[this.#extras.name];
    const list: readonly JsonValue[] = Array.isArray(pairs) ? pairs : [];
    const index = list.findIndex((pair) => isJsonObject(pair) && pair["key"] === name);
    if (index < 0) return [this.#extras.name];
    const inner = (list[index] as JsonObject)["value"];
    return [this.#extras.name, String(index), "value", ...this.#extras.codecOf(name).place(rest, inner)];
  }
}
