import type { JsonValue } from "@basis/core";

/** Most levels of an accepted value; a cycle has more. */
const MAX_LEVELS = 256;

/** True where a value holds a key that can reach a prototype, as `parseStrict` refuses it in a text. */
export function holdsPrototypeKey(value: JsonValue, parent = ""): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item: JsonValue) => holdsPrototypeKey(item));
  return Object.entries(value).some(
    ([key, member]) =>
      key === "__proto__" ||
      (key === "prototype" && parent === "constructor") ||
      holdsPrototypeKey(member, key),
  );
}

/** True for what JSON can hold as it is: no `undefined`, no NaN, no instance of a class, no cycle. */
export function isJsonValue(value: unknown, level = 0): value is JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || level > MAX_LEVELS) return false;
  if (Array.isArray(value)) return value.every((item) => isJsonValue(item, level + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false;
  return Object.values(value).every((member) => member === undefined || isJsonValue(member, level + 1));
}
