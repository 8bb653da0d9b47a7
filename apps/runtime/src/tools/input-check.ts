import { parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import type { CompiledSchema, SchemaIssue } from "@basis/typed-output";
import type { Later } from "../events/event-log.ts";
import type { Tool } from "./tool.ts";

/** Judges one input; answers what is wrong, in words for a model. */
export type InputCheck = (value: JsonValue) => string | undefined;

/** Makes the check of a tool's schema. */
export type CompileInputCheck = (tool: Tool) => Later<InputCheck>;

const checks = new WeakMap<JsonObject, Later<InputCheck>>();
let engine: Promise<(schema: JsonObject) => Promise<CompiledSchema>> | undefined;

/**
 * The check of a tool's schema, compiled on its first call; the engine is loaded with the first of all. The value is
 * judged as it is: nothing is coerced or filled in, so that what was checked is what runs.
 */
export function inputCheck({ inputSchema }: Tool): Later<InputCheck> {
  const known = checks.get(inputSchema);
  if (known !== undefined) return known;
  const check = compile(inputSchema).then((compiled) => {
    checks.set(inputSchema, compiled);
    return compiled;
  });
  checks.set(inputSchema, check);
  return check;
}

async function compile(schema: JsonObject): Promise<InputCheck> {
  engine ??= loadEngine();
  const compiled = await (await engine)(schema);
  return (value) => {
    if (typeof value === "string" && schema["type"] === "object") return noObject(value);
    const issues = compiled.check(value);
    return issues.length === 0 ? undefined : issues.slice(0, 8).map(inWords).join("; ");
  };
}

/** A schema is read in the draft that it is written in: servers of MCP say draft 07 as often as 2020-12. */
async function loadEngine(): Promise<(schema: JsonObject) => Promise<CompiledSchema>> {
  const [{ detectDraft }, { ajvValidator }] = await Promise.all([
    import("@basis/typed-output"),
    import("@basis/typed-output/ajv"),
  ]);
  return (schema) => ajvValidator().compile(schema, { draft: detectDraft(schema) ?? "2020-12", schemas: {} });
}

/** Arguments that are not one strict JSON document reach the tool as their text; a model is told what is wrong with it. */
function noObject(text: string): string {
  const parsed = parseStrict(text);
  return `the arguments must be one JSON object${parsed.ok ? "" : `: ${parsed.message}`}`;
}

function inWords({ pointer, keyword, message, allowed = [] }: SchemaIssue): string {
  const names = allowed.slice(0, 8).map((name) => JSON.stringify(name));
  const known = keyword.endsWith("Properties") && names.length > 0 ? ` (${names.join(", ")})` : "";
  return `${pointer || "the input"}: ${message}${known}`;
}
