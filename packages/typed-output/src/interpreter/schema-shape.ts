import { childPointer, isJsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { outputError } from "../output-error.ts";
import type { SchemaDraft } from "../schema-validator.ts";
import { walkSchema } from "../schema-walk.ts";

type Shape = (value: JsonValue, draft: SchemaDraft) => boolean;

const TYPES = new Set(["string", "number", "integer", "boolean", "null", "array", "object"]);

const isCount: Shape = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const isText: Shape = (value) => typeof value === "string";
const isFlag: Shape = (value) => typeof value === "boolean";
const isSchema: Shape = (value, draft) =>
  isJsonObject(value) || (typeof value === "boolean" && draft !== "draft-04");
const isSchemaList: Shape = (value, draft) =>
  Array.isArray(value) && value.length > 0 && value.every((item: JsonValue) => isSchema(item, draft));
const isSchemaMap: Shape = (value, draft) =>
  isJsonObject(value) && Object.values(value).every((item) => isSchema(item, draft));
const isNames: Shape = (value) =>
  Array.isArray(value) &&
  value.every((item) => typeof item === "string") &&
  new Set(value).size === value.length;
const isType: Shape = (value) => typeof value === "string" && TYPES.has(value);
const isBound: Shape = (value, draft) => typeof value === (draft === "draft-04" ? "boolean" : "number");
const isNeeds: Shape = (value, draft) =>
  isJsonObject(value) && Object.values(value).every((item) => isNames(item, draft) || isSchema(item, draft));

const SHAPES: readonly (readonly [Shape, string])[] = [
  [isCount, "maxLength minLength maxItems minItems maxProperties minProperties minContains maxContains"],
  [isText, "$ref $dynamicRef $recursiveRef $anchor $dynamicAnchor pattern format title description $comment"],
  [isFlag, "uniqueItems $recursiveAnchor deprecated readOnly writeOnly"],
  [isSchema, "not if then else contains propertyNames unevaluatedItems unevaluatedProperties"],
  [(value, draft) => isSchema(value, draft) || isFlag(value, draft), "additionalProperties additionalItems"],
  [isSchemaList, "allOf anyOf oneOf prefixItems"],
  [isSchemaMap, "properties patternProperties $defs definitions dependentSchemas"],
  [isNeeds, "dependencies dependentRequired"],
  [isNames, "required"],
  [(value) => typeof value === "number", "maximum minimum"],
  [isBound, "exclusiveMaximum exclusiveMinimum"],
  [(value) => typeof value === "number" && value > 0, "multipleOf"],
  [(value) => Array.isArray(value), "enum"],
  [
    (value, draft) =>
      isType(value, draft) ||
      (Array.isArray(value) && value.length > 0 && value.every((item) => isType(item, draft))),
    "type",
  ],
  [
    (value, draft) =>
      isSchema(value, draft) ||
      (Array.isArray(value) &&
        draft !== "2020-12" &&
        value.every((item: JsonValue) => isSchema(item, draft))),
    "items",
  ],
];

const BY_KEYWORD: ReadonlyMap<string, Shape> = new Map(
  SHAPES.flatMap(([shape, keywords]) => keywords.split(" ").map((keyword) => [keyword, shape] as const)),
);

/**
 * Refuses a document whose keywords have operands of the wrong shape, which the draft's meta-schema would.
 * @throws OutputError `schema_invalid` with the pointer into the schema.
 */
export function checkShape(schema: JsonSchema, draft: SchemaDraft, at = ""): void {
  for (const { schema: node, pointer } of walkSchema(schema, at)) {
    for (const [keyword, value] of Object.entries(node)) {
      const shape = BY_KEYWORD.get(keyword);
      if (!shape || shape(value, draft)) continue;
      const place = childPointer(pointer, keyword);
      const reason = `${keyword} at ${place}`;
      throw outputError("schema_invalid", `not a ${draft} schema: ${reason}`, {
        details: { reason, pointer: place },
      });
    }
  }
}
