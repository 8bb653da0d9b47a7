import type { JsonObject, JsonValue } from "@basis/core";

/** True for equal JSON values, whatever the order of keys. */
export function equalJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item: JsonValue, index) => equalJson(item, right[index] as JsonValue));
  }
  return equalObjects(left as JsonObject, right as JsonObject);
}

function equalObjects(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && equalJson(left[name]!, right[name]!));
}
