import { isJsonObject, type JsonObject, type JsonSchema } from "@basis/core";
import { localPointer } from "../schema-references.ts";
import type { SchemaDraft } from "../schema-validator.ts";
import { mapSubSchemas, walkSchema } from "../schema-walk.ts";

/** Shortest schema text worth a definition of its own. */
const MIN_CHARACTERS = 120;

/**
 * Gives sub-schemas that stand in a document several times one definition, so that they are compiled once.
 * Documents with ids, anchors, or references to anything but definitions are left as they are.
 */
export function hoistRepeated(schema: JsonSchema, draft: SchemaDraft): JsonSchema {
  if (!isJsonObject(schema) || !isMovable(schema)) return schema;
  const counts = new Map<string, number>();
  for (const { schema: node } of walkSchema(schema)) {
    const text = JSON.stringify(node);
    if (text.length >= MIN_CHARACTERS) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  if (![...counts.values()].some((count) => count > 1)) return schema;
  return hoist(schema, counts, draft === "draft-04" || draft === "draft-07" ? "definitions" : "$defs");
}

function hoist(schema: JsonObject, counts: ReadonlyMap<string, number>, place: string): JsonSchema {
  const given = schema[place];
  const taken = isJsonObject(given) ? given : {};
  const names = new Map<string, string>();
  const definitions: Record<string, JsonSchema> = {};
  const visit = (node: JsonSchema, top: boolean): JsonSchema => {
    const text = JSON.stringify(node);
    if (!isJsonObject(node)) return node;
    if (top || (counts.get(text) ?? 0) < 2) return mapSubSchemas(node, (child) => visit(child, false));
    let name = names.get(text);
    if (name === undefined) {
      name = freeName(taken, names.size);
      names.set(text, name);
      definitions[name] = mapSubSchemas(node, (child) => visit(child, false));
    }
    return { $ref: `#/${place}/${name}` };
  };
  const body = visit(schema, true) as JsonObject;
  const own = isJsonObject(body[place]) ? body[place] : {};
  return { ...body, [place]: { ...own, ...definitions } };
}

function freeName(taken: JsonObject, index: number): string {
  let name = `repeated_${index}`;
  while (Object.hasOwn(taken, name)) name = `${name}_`;
  return name;
}

const MARKS = ["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"];

/** True when nothing in the document depends on where its sub-schemas stand. */
function isMovable(schema: JsonObject): boolean {
  for (const { schema: node } of walkSchema(schema)) {
    if (MARKS.some((mark) => typeof node[mark] === "string" || node[mark] === true)) return false;
    if (node["$ref"] === undefined) continue;
    const pointer = localPointer(node["$ref"]);
    if (pointer === undefined || !/^$|^\/(\$defs|definitions)\/[^/]+$/.test(pointer)) return false;
  }
  return true;
}
