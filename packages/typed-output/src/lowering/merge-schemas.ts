import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { equalJson } from "../interpreter/json-equality.ts";

/** A schema that says what two say together, and the keywords of which only one could be kept. */
export interface Merged {
  readonly schema: JsonObject;
  readonly lost: readonly string[];
}

const HIGHER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"]);
const LOWER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"]);
const ANNOTATIONS = new Set(["title", "description", "default", "examples", "$comment", "deprecated"]);
const OF_DOCUMENT = new Set(["$defs", "definitions", "$schema", "$id", "id", "$anchor"]);
const OF_PARTS = new Set(["properties", "additionalProperties", "items", "prefixItems"]);

/** Merges two schemas of one value. Undefined when they cannot be said as one: unions or references on both sides. */
export function mergeSchemas(left: JsonObject, right: JsonObject): Merged | undefined {
  const merged: Record<string, JsonValue> = { ...left };
  const lost: string[] = [];
  for (const [keyword, value] of Object.entries(right)) {
    if (OF_DOCUMENT.has(keyword) || OF_PARTS.has(keyword)) continue;
    const before = merged[keyword];
    if (before === undefined) merged[keyword] = value;
    else if (!ANNOTATIONS.has(keyword) && !equalJson(before, value)) {
      const both = combine(keyword, before, value);
      if (both === undefined) return undefined;
      if (both === LOST) lost.push(keyword);
      else merged[keyword] = both;
    }
  }
  return { schema: { ...merged, ...mergeMembers(left, right), ...mergeItems(left, right) }, lost };
}

const LOST = Symbol("lost");
const APART = new Set(["anyOf", "oneOf", "$ref"]);

function combine(keyword: string, left: JsonValue, right: JsonValue): JsonValue | typeof LOST | undefined {
  if (HIGHER.has(keyword)) return Math.max(Number(left), Number(right));
  if (LOWER.has(keyword)) return Math.min(Number(left), Number(right));
  switch (keyword) {
    case "type":
      return commonTypes([left].flat() as string[], [right].flat() as string[]);
    case "required":
      return [...new Set([...(left as string[]), ...(right as string[])])];
    case "enum":
      return (left as JsonValue[]).filter((value) =>
        (right as JsonValue[]).some((other) => equalJson(value, other)),
      );
    case "allOf":
      return [...(left as JsonValue[]), ...(right as JsonValue[])];
    default:
      return APART.has(keyword) ? undefined : LOST;
  }
}

function commonTypes(left: readonly string[], right: readonly string[]): JsonValue | undefined {
  const accepts = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const common = [...new Set([...left, ...right])].filter(
    (type) => accepts(left, type) && accepts(right, type),
  );
  if (common.length === 0) return undefined;
  return common.length === 1 ? common[0]! : common;
}

/** A member must please both sides; what one side does not name, its `additionalProperties` judge. */
function mergeMembers(left: JsonObject, right: JsonObject): JsonObject {
  const named = { ...membersOf(left), ...membersOf(right) };
  const sides = [left, right];
  const open = (side: JsonObject): JsonSchema =>
    (side["additionalProperties"] as JsonSchema | undefined) ?? true;
  const properties: [string, JsonSchema][] = [];
  for (const name of Object.keys(named)) {
    const [one, other] = sides.map((side) => {
      const members = membersOf(side);
      if (Object.hasOwn(members, name)) return members[name]!;
      return isJsonObject(side["patternProperties"]) ? true : open(side);
    });
    const schema = both(one!, other!);
    if (schema !== false) properties.push([name, schema]);
  }
  const isSaid = sides.some((side) => side["additionalProperties"] !== undefined);
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(isSaid && { additionalProperties: both(open(left), open(right)) }),
  };
}

/** An item must please both sides; a place that one side does not name, its `items` judge. */
function mergeItems(left: JsonObject, right: JsonObject): JsonObject {
  const rest = (side: JsonObject): JsonSchema => (side["items"] as JsonSchema | undefined) ?? true;
  const first = (side: JsonObject): readonly JsonSchema[] =>
    (side["prefixItems"] as readonly JsonSchema[] | undefined) ?? [];
  const at = (side: JsonObject, index: number): JsonSchema => first(side)[index] ?? rest(side);
  const length = Math.max(first(left).length, first(right).length);
  const places = Array.from({ length }, (_, index) => both(at(left, index), at(right, index)));
  const closed = places.indexOf(false);
  const kept = closed < 0 ? places : places.slice(0, closed);
  const isSaid = closed >= 0 || left["items"] !== undefined || right["items"] !== undefined;
  return {
    ...(kept.length > 0 && { prefixItems: kept }),
    ...(isSaid && { items: closed < 0 ? both(rest(left), rest(right)) : false }),
  };
}

function membersOf(schema: JsonObject): Readonly<Record<string, JsonSchema>> {
  const properties = schema["properties"];
  return isJsonObject(properties) ? (properties as Readonly<Record<string, JsonSchema>>) : {};
}

function both(left: JsonSchema, right: JsonSchema): JsonSchema {
  if (left === true || right === false) return right;
  if (right === true || left === false) return left;
  return equalJson(left, right) ? left : { allOf: [left, right] };
}
