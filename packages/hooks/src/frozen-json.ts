import type { JsonObject, JsonValue } from "@basis/core";

const MAX_DEPTH = 256;

/** Freezes a value that `JSON.parse` made, all the way down. */
export function deepFreeze(value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  const members = value as JsonObject;
  if (Array.isArray(value)) value.forEach(deepFreeze);
  else for (const key in members) deepFreeze(members[key]!);
  Object.freeze(value);
}

/** Why a value cannot be taken over as JSON. */
export class NotJsonError extends TypeError {}

/**
 * A frozen copy of a value that somebody else holds, so that a later change of theirs is not seen.
 * Follows `JSON.stringify`: members that are `undefined` are left out, `toJSON` is honoured.
 *
 * @throws NotJsonError for what JSON cannot hold, a `__proto__` key, nesting beyond 256 levels (a cycle, too)
 * or more than `maxChars` characters of text and structure.
 */
export function frozenCopy(value: unknown, maxChars: number = Number.POSITIVE_INFINITY): JsonValue {
  return new Copier(maxChars).copy(value, 1);
}

class Copier {
  left: number;

  constructor(maxChars: number) {
    this.left = maxChars + 2;
  }

  copy(value: unknown, depth: number): JsonValue {
    this.spend(typeof value === "string" ? value.length + 2 : 2);
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value === "object") return this.container(value, depth);
    throw new NotJsonError(`a ${typeof value} is not JSON`);
  }

  container(value: object, depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new NotJsonError(`nested deeper than ${MAX_DEPTH} levels`);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.copy(toJSON.call(value), depth + 1);
    if (Array.isArray(value)) {
      return Object.freeze(Array.from(value, (item) => this.copy(item ?? null, depth + 1)));
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw new NotJsonError("an instance of a class is not JSON");
    }
    const copied: { [key: string]: JsonValue } = {};
    for (const [key, member] of Object.entries(value as Record<string, unknown>)) {
      if (member === undefined) continue;
      if (key === "__proto__") throw new NotJsonError("the key __proto__ is not accepted");
      this.spend(key.length);
      copied[key] = this.copy(member, depth + 1);
    }
    return Object.freeze(copied);
  }

  spend(chars: number): void {
    this.left -= chars;
    if (this.left < 0) throw new NotJsonError("larger than the limit");
  }
}
