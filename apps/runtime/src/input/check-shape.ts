import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { nearestWord } from "./nearest-word.ts";

/** What does not fit, and where. */
export interface ShapeProblem {
  readonly pointer: string;
  readonly message: string;
}

interface Place {
  readonly root: JsonObject;
  readonly pointer: string;
  readonly problems: ShapeProblem[];
}

/**
 * Checks a value against a schema of the host's own, in words that tell what to write. It knows `type`, `const`,
 * `enum`, `minLength`, `minimum`, `items`, `required`, `properties`, `additionalProperties`, local `$ref`, and an
 * `anyOf` whose branches differ by `type`; a schema that uses more must not be checked with it.
 */
export function checkShape(schema: JsonObject, value: JsonValue): readonly ShapeProblem[] {
  const problems: ShapeProblem[] = [];
  check(schema, value, { root: schema, pointer: "", problems });
  return problems;
}

function check(schema: JsonObject, value: JsonValue, place: Place): void {
  const target = chosen(resolved(schema, place.root), value, place.root);
  const expected = target["type"];
  if (typeof expected === "string" && !hasType(expected, value)) {
    report(place, `must be ${article(expected)}, not ${kindOf(value)}`);
    return;
  }
  if (Array.isArray(target["anyOf"])) {
    const types = branches(target, place.root).map((branch) => article(typeOf(branch)));
    report(place, `must be ${types.join(" or ")}, not ${kindOf(value)}`);
    return;
  }
  checkScalar(target, value, place);
  if (Array.isArray(value)) checkItems(target, value, place);
  else if (isJsonObject(value)) checkMembers(target, value, place);
}

function checkScalar(schema: JsonObject, value: JsonValue, place: Place): void {
  const { const: only, enum: allowed, minLength, minimum } = schema;
  if (only !== undefined && value !== only) report(place, `must be ${JSON.stringify(only)}`);
  if (Array.isArray(allowed) && !allowed.includes(value)) {
    report(place, `must be one of ${allowed.map((item) => JSON.stringify(item)).join(", ")}`);
  }
  if (typeof minLength === "number" && typeof value === "string" && value.length < minLength) {
    report(place, "must not be empty");
  }
  if (typeof minimum === "number" && typeof value === "number" && value < minimum) {
    report(place, `must be ${minimum} or more`);
  }
}

function checkItems(schema: JsonObject, value: readonly JsonValue[], place: Place): void {
  const { items } = schema;
  if (!isJsonObject(items)) return;
  for (const [index, item] of value.entries()) check(items, item, below(place, index));
}

function checkMembers(schema: JsonObject, value: JsonObject, place: Place): void {
  const { required, additionalProperties: others } = schema;
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  for (const name of Array.isArray(required) ? required : []) {
    if (!Object.hasOwn(value, String(name))) report(place, `"${String(name)}" is missing`);
  }
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : others;
    if (isJsonObject(known)) check(known, member, below(place, name));
    else if (known === false) {
      const names = Object.keys(properties);
      const nearest = nearestWord(name, names);
      const meant = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
      report(below(place, name), `"${name}" is not known here; known are ${names.join(", ")}${meant}`);
    }
  }
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return schema;
  const name = reference.slice("#/$defs/".length);
  const definitions = root["$defs"];
  const target =
    isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!isJsonObject(target)) throw new Error(`the schema has no ${reference}`);
  return target;
}

function branches(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
  const list = schema["anyOf"];
  if (!Array.isArray(list)) return [];
  return list.filter((branch) => isJsonObject(branch)).map((branch) => resolved(branch, root));
}

function chosen(schema: JsonObject, value: JsonValue, root: JsonObject): JsonObject {
  const fitting = branches(schema, root).find((branch) => hasType(typeOf(branch), value));
  return fitting ?? schema;
}

function typeOf(schema: JsonObject): string {
  const { type } = schema;
  return typeof type === "string" ? type : "value";
}

function hasType(expected: string, value: JsonValue): boolean {
  if (expected === "integer") return Number.isInteger(value);
  return expected === kindOf(value);
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function article(type: string): string {
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function below(place: Place, token: string | number): Place {
  return { ...place, pointer: childPointer(place.pointer, token) };
}

function report(place: Place, message: string): void {
  place.problems.push({ pointer: place.pointer, message });
}
