import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import type { LedgerEntry } from "./ledger.ts";
import { localPointer } from "./schema-references.ts";
import { mapSchema } from "./schema-walk.ts";

/** The property under which a non-object answer stands in the tool's input. */
const WRAPPER_KEY = "value";

/** A schema as the model is shown it: a tool's input is always an object. */
export interface ModelSchema {
  readonly schema: JsonObject;
  /** True when the author's schema stands under `value`. */
  readonly wrapped: boolean;
  readonly ledger: readonly LedgerEntry[];
}

/** Keywords that belong to the document and stay at its root. */
const OF_DOCUMENT = ["$schema", "$id", "id"];

const COMBINES = ["$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "enum", "const"];

/**
 * Shows a schema to a model. An object schema stays as it is; one that only forgot its `type` gets it;
 * anything else is wrapped, its local references pointing to their new place.
 */
export function toModelSchema(schema: JsonSchema): ModelSchema {
  if (isJsonObject(schema) && schema["type"] === "object") return { schema, wrapped: false, ledger: [] };
  if (isJsonObject(schema) && schema["type"] === undefined && isPlainObjectSchema(schema)) {
    const note = 'the model\'s copy says type: "object"';
    const entry: LedgerEntry = { pointer: "", keyword: "type", action: "added", enforced: true, note };
    return { schema: { type: "object", ...schema }, wrapped: false, ledger: [entry] };
  }
  const note = `the model answers {"${WRAPPER_KEY}": …}`;
  const entry: LedgerEntry = { pointer: "", keyword: "type", action: "wrapped", enforced: true, note };
  return { schema: wrap(schema), wrapped: true, ledger: [entry] };
}

function isPlainObjectSchema(schema: JsonObject): boolean {
  return isJsonObject(schema["properties"]) && !COMBINES.some((keyword) => Object.hasOwn(schema, keyword));
}

function wrap(schema: JsonSchema): JsonObject {
  const moved = mapSchema(schema, (node) => {
    const pointer = isJsonObject(node) ? localPointer(node["$ref"]) : undefined;
    return pointer === undefined ? node : { ...node, $ref: `#/properties/${WRAPPER_KEY}${encode(pointer)}` };
  });
  const inner = isJsonObject(moved) ? pick(moved, (name) => !OF_DOCUMENT.includes(name)) : moved;
  return {
    ...(isJsonObject(schema) && pick(schema, (name) => OF_DOCUMENT.includes(name))),
    type: "object",
    properties: { [WRAPPER_KEY]: inner },
    required: [WRAPPER_KEY],
    additionalProperties: false,
  };
}

function encode(pointer: string): string {
  return pointer.split("/").map(encodeURIComponent).join("/");
}

function pick(object: JsonObject, keep: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => keep(name)));
}

/** Takes an answer out of its wrapper; undefined when it does not stand in one. */
export function unwrap(value: JsonValue): { readonly value: JsonValue } | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, WRAPPER_KEY) || Object.keys(value).length !== 1) {
    return undefined;
  }
  return { value: value[WRAPPER_KEY]! };
}

/** The JSON pointer into the author's schema of one into the schema with the wrapper. */
export function unwrapSchemaPointer(pointer: string): string {
  const prefix = `/properties/${WRAPPER_KEY}`;
  return pointer === prefix || pointer.startsWith(`${prefix}/`) ? pointer.slice(prefix.length) : pointer;
}
