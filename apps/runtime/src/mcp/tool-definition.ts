import {
  canonicalJson,
  digestJson,
  isJsonObject,
  parseStrict,
  visibleText,
  type JsonObject,
  type JsonValue,
} from "@basis/core";
import type { OfferedTool } from "./server-link.ts";

const MAX_DEFINITION_BYTES = 64 * 1024;
const MAX_DEPTH = 48;
const MAX_DESCRIPTION_CHARS = 4_096;

/** A server's tool, fit to be shown to a model. */
export interface ToolDefinition {
  /** As the server calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | undefined;
  /** What the server says that a call does; shown to people, never believed. */
  readonly claims: readonly string[];
  /** Over everything that the server said of it. */
  readonly digest: string;
}

/** A definition, or why it is none. */
export type DefinitionReading =
  | { readonly ok: true; readonly definition: ToolDefinition }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads what a server says of a tool: bounded, one strict JSON document, texts with control and invisible characters
 * shown as such.
 */
export function readDefinition(offered: OfferedTool): DefinitionReading {
  const said = strictJson(offered);
  if (typeof said === "string") return { ok: false, problem: said };
  const { name, title, description, inputSchema, outputSchema, annotations } = said;
  if (typeof name !== "string" || name === "" || name.length > 512)
    return { ok: false, problem: "its name is empty or too long" };
  if (!isSchema(inputSchema)) return { ok: false, problem: "its inputSchema is no schema of an object" };
  if (outputSchema !== undefined && !isSchema(outputSchema))
    return { ok: false, problem: "its outputSchema is no schema of an object" };
  const text = [description, title].find((each) => typeof each === "string" && each !== "");
  const definition: ToolDefinition = {
    name,
    description: typeof text === "string" ? visible(text) : "",
    inputSchema: shownSchema(inputSchema),
    outputSchema: outputSchema && shownSchema(outputSchema),
    claims: claimsOf(annotations),
    digest: digestJson(said),
  };
  return { ok: true, definition };
}

/** Only the fields that make a definition, or why they cannot be read. */
function strictJson(offered: OfferedTool): JsonObject | string {
  const { name, title, description, inputSchema, outputSchema, annotations } = offered;
  let text: string;
  try {
    text = JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations });
  } catch {
    return "its definition is nested too deep";
  }
  const parsed = parseStrict(text, { maxBytes: MAX_DEFINITION_BYTES, maxDepth: MAX_DEPTH });
  return parsed.ok ? (parsed.value as JsonObject) : `its definition cannot be used: ${parsed.message}`;
}

function isSchema(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value) && value["type"] === "object";
}

/** Without `$schema`, which some providers refuse, and with readable texts. */
function shownSchema(schema: JsonObject): JsonObject {
  const { $schema: _draft, ...rest } = schema;
  return withVisibleTexts(rest) as JsonObject;
}

/** Values keep their characters: they are data, and a call must be able to hold them. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Whose members have names of the author's, not keywords. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

function withVisibleTexts(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withVisibleTexts);
  if (!isJsonObject(schema)) return schema;
  return mapMembers(schema, (key, member) => {
    if (data.has(key)) return member;
    if ((key === "description" || key === "title") && typeof member === "string") return visible(member);
    if (named.has(key) && isJsonObject(member))
      return mapMembers(member, (_name, each) => withVisibleTexts(each));
    return withVisibleTexts(member);
  });
}

function mapMembers(value: JsonObject, change: (key: string, member: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(key, member)]));
}

function visible(text: string): string {
  return visibleText(text, { maxChars: MAX_DESCRIPTION_CHARS, multiline: true });
}

const hints: ReadonlyMap<string, readonly [yes: string, no: string]> = new Map([
  ["readOnlyHint", ["only reads", "changes things"]],
  ["destructiveHint", ["may destroy", "destroys nothing"]],
  ["idempotentHint", ["may be repeated", "must not be repeated"]],
  ["openWorldHint", ["reaches outside", "stays inside"]],
]);

function claimsOf(annotations: JsonValue | undefined): readonly string[] {
  if (annotations === undefined || !isJsonObject(annotations)) return [];
  return [...hints].flatMap(([hint, [yes, no]]) => {
    const said = annotations[hint];
    return typeof said === "boolean" ? [said ? yes : no] : [];
  });
}

/** True when two values are the same JSON. */
export function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
