import { childPointer, isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import type { SchemaDraft } from "./schema-validator.ts";

type Holds = "schema" | "schemas" | "map" | "value";

/** What each keyword holds: a sub-schema, a list of them, a map of them, or a plain value. Source: JSON Schema 04 to 2020-12. */
const KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...entries("schema", "additionalItems additionalProperties contains contentSchema else if items not then"),
  ...entries("schema", "propertyNames unevaluatedItems unevaluatedProperties"),
  ...entries("schemas", "allOf anyOf oneOf prefixItems"),
  ...entries("map", "$defs definitions dependentSchemas patternProperties properties dependencies"),
  ...entries(
    "value",
    "$id id $schema $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor",
  ),
  ...entries("value", "$vocabulary $comment type nullable enum const multipleOf maximum exclusiveMaximum"),
  ...entries("value", "minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems"),
  ...entries("value", "maxContains minContains maxProperties minProperties required dependentRequired title"),
  ...entries("value", "description default deprecated readOnly writeOnly example examples format"),
  ...entries("value", "contentEncoding contentMediaType"),
]);

function entries(holds: Holds, names: string): [string, Holds][] {
  return names.split(" ").map((name) => [name, holds]);
}

/** True for a keyword of some draft. */
export function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

/** One schema inside a document. */
export interface SchemaNode {
  readonly schema: JsonObject;
  readonly pointer: string;
  /** The keyword under which it stands; undefined for the root. */
  readonly under?: string;
}

/** Walks a schema and every sub-schema in it, the root first. References are not followed. */
export function* walkSchema(root: JsonSchema, pointer = "", under?: string): Generator<SchemaNode> {
  if (!isJsonObject(root)) return;
  yield { schema: root, pointer, ...(under !== undefined && { under }) };
  for (const [keyword, value] of Object.entries(root)) {
    for (const [path, child] of subSchemas(keyword, value)) {
      const at = path.reduce<string>(childPointer, childPointer(pointer, keyword));
      yield* walkSchema(child, at, keyword);
    }
  }
}

/** Copies a schema, each sub-schema through `change` (the innermost first). What holds no schema is kept as it is. */
export function mapSchema(root: JsonSchema, change: (schema: JsonObject) => JsonSchema): JsonSchema {
  if (!isJsonObject(root)) return root;
  return change(mapSubSchemas(root, (child) => mapSchema(child, change)));
}

/** Copies a schema, the sub-schemas directly under it through `change`. */
export function mapSubSchemas(schema: JsonObject, change: (child: JsonSchema) => JsonSchema): JsonObject {
  const copy: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    setOwn(copy, keyword, mapKeyword(keyword, value, change));
  }
  return copy;
}

function mapKeyword(keyword: string, value: JsonValue, map: (child: JsonSchema) => JsonValue): JsonValue {
  const holds = KEYWORDS.get(keyword);
  if (Array.isArray(value)) {
    const list = holds === "schemas" || keyword === "items";
    return list ? value.map((item) => (isSchema(item) ? map(item) : item)) : value;
  }
  if (holds === "schema" && isSchema(value)) return map(value);
  if (holds !== "map" || !isJsonObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [name, item] of Object.entries(value)) setOwn(copy, name, isSchema(item) ? map(item) : item);
  return copy;
}

function* subSchemas(keyword: string, value: JsonValue): Generator<[(string | number)[], JsonSchema]> {
  const holds = KEYWORDS.get(keyword);
  if (Array.isArray(value)) {
    if (holds !== "schemas" && keyword !== "items") return;
    for (const [index, item] of value.entries()) if (isSchema(item)) yield [[index], item];
  } else if (holds === "schema" && isSchema(value)) yield [[], value];
  else if (holds === "map" && isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) if (isSchema(item)) yield [[name], item];
  }
}

function isSchema(value: JsonValue): value is JsonSchema {
  return typeof value === "boolean" || isJsonObject(value);
}

/** Sets an own property whatever its name, `__proto__` too. */
export function setOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** The value at a JSON pointer, by own properties; undefined when there is none. Source: RFC 6901. */
export function atPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
  }
  return value;
}

const DRAFTS: readonly (readonly [RegExp, SchemaDraft])[] = [
  [/^https?:\/\/json-schema\.org\/draft-04\/schema#?$/, "draft-04"],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/, "draft-07"],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, "2019-09"],
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, "2020-12"],
];

/**
 * The draft a schema is written in: by its `$schema`, else by what only an older draft knows
 * (a boolean `exclusiveMinimum`: 04; a list of `items`, `dependencies`: 07), else 2020-12.
 * Undefined for a `$schema` of no known draft.
 */
export function detectDraft(schema: JsonSchema): SchemaDraft | undefined {
  if (!isJsonObject(schema)) return "2020-12";
  const declared = schema["$schema"];
  if (typeof declared === "string") return DRAFTS.find(([pattern]) => pattern.test(declared))?.[1];
  let found: SchemaDraft = "2020-12";
  for (const { schema: node } of walkSchema(schema)) {
    if (typeof node["exclusiveMinimum"] === "boolean" || typeof node["exclusiveMaximum"] === "boolean") {
      return "draft-04";
    }
    if (Array.isArray(node["items"]) || Object.hasOwn(node, "dependencies")) found = "draft-07";
  }
  return found;
}
