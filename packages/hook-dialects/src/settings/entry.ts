import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { HookEvent } from "@basis/hooks";
import type { DialectHook } from "../bridge/dialect.ts";

/** An event that has no participant, and whether a hook of it could have stopped something. */
export type OtherEvent = "guards" | "tells";

/** What an event of a vendor is here. */
export type EventTable = ReadonlyMap<string, HookEvent | OtherEvent>;

/** An entry that does not become a participant. */
export interface LeftOut {
  /** JSON pointer of the entry in its file. */
  readonly pointer: string;
  readonly event: string;
  readonly why: string;
}

/** What a settings file holds. `refused` could have stopped something and cannot be asked here. */
export interface SettingsReading {
  readonly hooks: readonly DialectHook[];
  readonly leftOut: readonly LeftOut[];
  readonly refused: readonly LeftOut[];
}

/** A value that is not what the format says. */
export class EntryProblem extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/** An object of a settings file, read key by key; what nobody read is an unknown key. */
export class Entry {
  readonly pointer: string;
  readonly #values: JsonObject;
  readonly #read: Set<string> = new Set();

  constructor(value: JsonValue | undefined, pointer: string) {
    if (!isJsonObject(value)) throw new EntryProblem(pointer, "must be an object");
    this.#values = value;
    this.pointer = pointer;
  }

  text(key: string): string | undefined {
    return this.#take(key, "a text", (value): value is string => typeof value === "string");
  }

  number(key: string): number | undefined {
    return this.#take(key, "a number", (value): value is number => typeof value === "number");
  }

  flag(key: string): boolean {
    return this.#take(key, "true or false", (value): value is boolean => typeof value === "boolean") ?? false;
  }

  /** A number above 0 that a timer can hold when multiplied by `unitMs`, in milliseconds. */
  durationMs(key: string, unitMs: number): number | undefined {
    const holds = (value: JsonValue): value is number =>
      typeof value === "number" && value > 0 && value * unitMs <= 2_147_483_647;
    const number = this.#take(key, "a number above 0", holds);
    return number === undefined ? undefined : Math.ceil(number * unitMs);
  }

  texts(key: string): readonly string[] | undefined {
    const holds = (value: JsonValue): value is readonly string[] =>
      Array.isArray(value) && value.every((each) => typeof each === "string");
    return this.#take(key, "a list of texts", holds);
  }

  /** Names of variables and their values. */
  variables(key: string): Readonly<Record<string, string>> {
    const holds = (value: JsonValue): value is Record<string, string> =>
      isJsonObject(value) &&
      Object.entries(value).every(
        ([name, text]) =>
          /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && typeof text === "string" && !text.includes("\0"),
      );
    return this.#take(key, "an object of variable names and texts", holds) ?? {};
  }

  list(key: string): readonly { readonly value: JsonValue; readonly pointer: string }[] {
    const pointer = childPointer(this.pointer, key);
    const list = this.#take(key, "a list", (value): value is readonly JsonValue[] => Array.isArray(value));
    return (list ?? []).map((value, index) => ({ value, pointer: childPointer(pointer, index) }));
  }

  /** The members of an object below `key`. */
  members(key: string): readonly { readonly name: string; readonly pointer: string }[] {
    const pointer = childPointer(this.pointer, key);
    const object = this.#take(key, "an object", (value): value is JsonObject => isJsonObject(value));
    return Object.keys(object ?? {}).map((name) => ({ name, pointer: childPointer(pointer, name) }));
  }

  child(key: string): Entry {
    this.#read.add(key);
    return new Entry(this.#own(key), childPointer(this.pointer, key));
  }

  has(key: string): boolean {
    return this.#own(key) !== undefined;
  }

  /** Keys that change nothing here. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  /** @throws EntryProblem for a key that nobody read: it may have meant something. */
  finish(): void {
    const unknown = Object.keys(this.#values).find((key) => !this.#read.has(key));
    if (unknown !== undefined)
      throw new EntryProblem(childPointer(this.pointer, unknown), `unknown key '${unknown}'`);
  }

  #own(key: string): JsonValue | undefined {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #take<Value extends JsonValue>(
    key: string,
    must: string,
    holds: (value: JsonValue) => value is Value,
  ): Value | undefined {
    this.#read.add(key);
    const value = this.#own(key);
    if (value === undefined || holds(value)) return value;
    throw new EntryProblem(childPointer(this.pointer, key), `'${key}' must be ${must}`);
  }
}
