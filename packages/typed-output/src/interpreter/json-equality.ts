import type { JsonObject, JsonValue } from "@basis/core";
import { contentText } from "../content-text.ts";

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

/** Tells whether a value is one of those given. */
export function oneOfThese(allowed: readonly JsonValue[]): (value: JsonValue) => boolean {
  const scalars = new Set<JsonValue>(allowed.filter((value) => typeof value !== "object" || value === null));
  const compound = allowed.filter((value) => typeof value === "object" && value !== null);
  return (value) => scalars.has(value) || compound.some((choice) => equalJson(choice, value));
}

/**
 * The places of two items of a list that are equal. They are found by their canonical text, so that the time grows with
 * the list alone.
 */
export function findEqualItems(list: readonly JsonValue[]): readonly [number, number] | undefined {
  const known = new Map<JsonValue, number>();
  for (const [index, item] of list.entries()) {
    const key = typeof item === "object" && item !== null ? `o${contentText(item)}` : scalarKey(item);
    const before = known.get(key);
    if (before !== undefined) return [before, index];
    known.set(key, index);
  }
  return undefined;
}

function scalarKey(item: JsonValue): JsonValue {
  return typeof item === "string" ? `s${item}` : item;
}
