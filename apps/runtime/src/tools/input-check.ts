import { parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import type { SchemaIssue, SchemaValidator } from "@basis/typed-output";
import type { Later } from "../events/event-log.ts";
import type { Tool } from "./tool.ts";

/** Judges one input; answers what is wrong, in words for a model. */
export type InputCheck = (value: JsonValue) => string | undefined;

/** Makes the check of a tool's schema. */
export type CompileInputCheck = (tool: Tool) => Later<InputCheck>;

const checks = new WeakMap<JsonObject, Later<InputCheck>>();
let validator: Promise<SchemaValidator> | undefined;

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
  validator ??= import("@basis/typed-output/ajv").then(({ ajvValidator }) => ajvValidator());
  const compiled = await (await validator).compile(schema, { draft: "2020-12", schemas: {} });
  return (value) => {
    if (typeof value === "string" && schema["type"] === "object") return noObject(value);
    const issues = compiled.check(value);
    return issues.length === 0 ? undefined : issues.slice(0, 8).map(inWords).join("; ");
  };
}

/** Arguments that are not one strict JSON document reach the tool as their text; a model is told what is wrong with it. */
function noObject(text: string): string {
  const parsed = parseStrict(text);
  return `the arguments must be one JSON object${parsed.ok ? "" : `: ${parsed.message}`}`;
}

function inWords({ pointer, message, allowed }: SchemaIssue): string {
  const values =
    allowed && allowed.length > 0
      ? ` (${allowed
          .slice(0, 8)
          .map((value) => JSON.stringify(value))
          .join(", ")})`
      : "";
  return `${pointer || "the input"}: ${message}${values}`;
}
