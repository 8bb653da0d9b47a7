import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { mapOf } from "../interpreter/members.ts";
import { walkSchema } from "../schema-walk.ts";
import type { DialectLimits } from "./dialect.ts";

/** A limit of a provider, and what the lowered schema comes to. */
export interface LimitCount {
  readonly limit: keyof DialectLimits;
  readonly count: number;
  readonly most: number;
  readonly exceeded: boolean;
}

/** Counts what the provider limits. Pure. */
export function countLimits(schema: JsonObject, limits: DialectLimits): readonly LimitCount[] {
  const nodes = [...walkSchema(schema)].map(({ schema: node }) => node);
  const sum = (of: (node: JsonObject) => number): number =>
    nodes.reduce((total, node) => total + of(node), 0);
  const counts: Readonly<Record<keyof DialectLimits, () => number>> = {
    properties: () => sum((node) => Object.keys(mapOf(node["properties"])).length),
    depth: () => Math.max(...[schema, ...Object.values(mapOf(schema["$defs"]))].map((node) => depthOf(node))),
    characters: () => sum(charactersOf),
    enumValues: () => sum((node) => choices(node).length),
    longEnumCharacters: () => Math.max(0, ...nodes.map(longChoice)),
    optional: () => sum(optionalOf),
    unions: () => sum((node) => (Array.isArray(node["anyOf"]) || Array.isArray(node["type"]) ? 1 : 0)),
    strictTools: () => 1,
  };
  return (Object.keys(limits) as (keyof DialectLimits)[]).map((limit) => {
    const [count, most] = [counts[limit](), limits[limit]!];
    return { limit, count, most, exceeded: count > most };
  });
}

function choices(node: JsonObject): readonly JsonValue[] {
  return Array.isArray(node["enum"]) ? (node["enum"] as readonly JsonValue[]) : [];
}

function longChoice(node: JsonObject): number {
  const texts = choices(node).filter((value) => typeof value === "string");
  return texts.length > 250 ? texts.reduce((total, text) => total + text.length, 0) : 0;
}

function charactersOf(node: JsonObject): number {
  const names = [...Object.keys(mapOf(node["properties"])), ...Object.keys(mapOf(node["$defs"]))];
  const constants = node["const"] === undefined ? [] : [node["const"]];
  const values = [...choices(node), ...constants].map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  return [...names, ...values].reduce((total, text) => total + text.length, 0);
}

function optionalOf(node: JsonObject): number {
  const required = Array.isArray(node["required"]) ? (node["required"] as readonly string[]) : [];
  return Object.keys(mapOf(node["properties"])).filter((name) => !required.includes(name)).length;
}

/** Levels of objects and lists; references are not followed. */
function depthOf(schema: JsonSchema): number {
  if (!isJsonObject(schema)) return 0;
  const inner = [
    ...Object.values(mapOf(schema["properties"])),
    ...["items", "additionalProperties"].flatMap((keyword) =>
      isJsonObject(schema[keyword]) ? [schema[keyword]] : [],
    ),
    ...(Array.isArray(schema["prefixItems"]) ? (schema["prefixItems"] as readonly JsonSchema[]) : []),
  ];
  const beside = Array.isArray(schema["anyOf"]) ? (schema["anyOf"] as readonly JsonSchema[]) : [];
  const below = inner.length === 0 ? 0 : Math.max(...inner.map(depthOf));
  const isLevel = [schema["type"]].flat().some((type) => type === "object" || type === "array");
  return Math.max((isLevel ? 1 : 0) + below, ...beside.map(depthOf));
}
