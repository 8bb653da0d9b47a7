import type { JsonObject, JsonSchema } from "@basis/core";
import type { CompileOptions, SchemaDraft } from "../schema-validator.ts";
import { mapSchema, walkSchema } from "../schema-walk.ts";

/**
 * Says a schema in the words that ajv understands, with the same meaning: a `$ref` beside an `$id` moves
 * into `allOf`, a dynamic reference that can only mean one place is a plain one, and OpenAPI's `nullable` is a type
 * (ajv takes it beside a type alone).
 */
export function toEngineSchema(
  schema: JsonSchema,
  { draft, schemas }: CompileOptions,
): { readonly root: JsonSchema; readonly companions: readonly (readonly [string, JsonSchema])[] } {
  const anchors = countDynamicAnchors([schema, ...Object.values(schemas)]);
  const say = (document: JsonSchema): JsonSchema =>
    mapSchema(document, (node) => rewrite(node, draft, anchors));
  return {
    root: say(schema),
    companions: Object.entries(schemas).map(([id, document]) => [id, say(document)]),
  };
}

type Anchors = ReadonlyMap<string, number>;

function rewrite(given: JsonObject, draft: SchemaDraft, anchors: Anchors): JsonSchema {
  const node = Object.hasOwn(given, "nullable") ? spellOutNullable(given) : given;
  if (draft === "draft-04" || draft === "draft-07") return withoutTypeBesideReference(node);
  return separateReference(settleDynamic(node, anchors));
}

function spellOutNullable(node: JsonObject): JsonObject {
  const { nullable, ...rest } = node;
  const { type } = rest;
  return nullable === true && type !== undefined
    ? { ...rest, type: [...new Set([type, "null"].flat())] }
    : rest;
}

/** Up to draft 07 a reference's siblings mean nothing; ajv would ask for the type nevertheless. */
function withoutTypeBesideReference(node: JsonObject): JsonObject {
  return typeof node["$ref"] === "string" ? without(node, "type") : node;
}

function settleDynamic(node: JsonObject, anchors: Anchors): JsonObject {
  const dynamic = node["$dynamicRef"];
  if (typeof dynamic !== "string" || node["$ref"] !== undefined || !isStatic(dynamic, anchors)) return node;
  return { ...without(node, "$dynamicRef"), $ref: dynamic };
}

function separateReference(node: JsonObject): JsonObject {
  const reference = node["$ref"];
  if (typeof reference !== "string" || typeof node["$id"] !== "string") return node;
  return conjoin(node, "$ref", { $ref: reference });
}

/** Puts a part into `allOf` instead of a keyword. */
function conjoin(node: JsonObject, keyword: string, part: JsonObject): JsonObject {
  const given = node["allOf"];
  return { ...without(node, keyword), allOf: [...(Array.isArray(given) ? given : []), part] };
}

/** True when a dynamic reference has one place at most to go. */
function isStatic(reference: string, anchors: Anchors): boolean {
  const name = /#([^/]+)$/.exec(reference)?.[1];
  return name === undefined || (anchors.get(name) ?? 0) < 2;
}

function countDynamicAnchors(documents: readonly JsonSchema[]): Anchors {
  const counts = new Map<string, number>();
  for (const document of documents) {
    for (const { schema } of walkSchema(document)) {
      const name = schema["$dynamicAnchor"];
      if (typeof name === "string") counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function without(node: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([name]) => name !== keyword));
}
