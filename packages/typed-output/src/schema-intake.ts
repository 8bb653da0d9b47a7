import {
  childPointer,
  isStandardSchema,
  type JsonSchema,
  type JsonValue,
  type StandardSchema,
} from "@basis/core";
import { refusal } from "./check-schema.ts";
import { outputError } from "./output-error.ts";
import { setOwn } from "./schema-walk.ts";

const MAX_DEPTH = 256;
const MAX_NODES = 200_000;

/** The oldest zod whose types say themselves as JSON Schema. */
const ZOD_VERSION = "4.2";

/**
 * The JSON Schema of what a caller handed in: the schema itself, or what a Standard JSON Schema says of
 * its input (the draft is 2020-12). The answer is a frozen copy; the caller's object is only read.
 *
 * @throws OutputError `definition_error`: no JSON Schema to be had (naming the vendor), a converter that
 *   threw, a document that is not JSON.
 */
export function takeJsonSchema(schema: JsonSchema | StandardSchema, explicit?: JsonSchema): JsonSchema {
  if (explicit !== undefined) return copyFrozen(explicit);
  return copyFrozen(isStandardSchema(schema) ? convert(schema) : schema);
}

function convert(schema: StandardSchema): unknown {
  const { vendor, jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.input !== "function") {
    throw outputError("definition_error", withoutConverter(schema, vendor), {
      details: { pointer: "", reason: "no_json_schema", vendor },
    });
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const pointer = pathOf(error);
    const at = pointer === "" ? "" : ` (at ${pointer})`;
    throw outputError("definition_error", `${vendor} has no JSON Schema for this type: ${detail}${at}`, {
      details: { pointer, reason: "converter_failed", vendor },
      cause: error,
    });
  }
}

function withoutConverter(schema: StandardSchema, vendor: string): string {
  if (vendor !== "zod") {
    return `the ${vendor} schema does not say itself as JSON Schema; hand one in beside it as jsonSchema`;
  }
  const version = (schema as { _zod?: { version?: { major: number; minor: number } } })._zod?.version;
  const found = version ? `${version.major}.${version.minor}` : "3";
  return `zod ${found} does not say its types as JSON Schema; ${ZOD_VERSION} or newer does (or hand in jsonSchema)`;
}

/** Some converters say where they gave up. */
function pathOf(error: unknown): string {
  const path: unknown = (error as { path?: unknown } | null)?.path;
  return Array.isArray(path) ? path.map(String).reduce<string>(childPointer, "") : "";
}

/**
 * A deep frozen copy of a JSON document, whose own enumerable properties alone count. `base` stands before the pointers
 * of what is refused.
 */
export function copyFrozen(document: unknown, base = ""): JsonSchema {
  let nodes = 0;
  const copy = (value: unknown, pointer: string, depth: number): JsonValue => {
    nodes += 1;
    if (nodes > MAX_NODES)
      throw refusal("too_large", pointer, `the schema has more than ${MAX_NODES} values`);
    if (depth > MAX_DEPTH)
      throw refusal("too_deep", ancestorOf(pointer), `the schema is nested deeper than ${MAX_DEPTH} levels`);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number" && Number.isFinite(value)) return value;
    if (typeof value !== "object") throw refusal("not_json", pointer, `a ${typeof value} is not JSON`);
    if (Array.isArray(value)) {
      return Object.freeze(value.map((item, index) => copy(item, childPointer(pointer, index), depth + 1)));
    }
    const target = {};
    for (const [name, item] of Object.entries(value)) {
      if (item !== undefined) setOwn(target, name, copy(item, childPointer(pointer, name), depth + 1));
    }
    return Object.freeze(target);
  };
  const result = copy(document, base, 0);
  if (
    typeof result === "boolean" ||
    (typeof result === "object" && result !== null && !Array.isArray(result))
  ) {
    return result as JsonSchema;
  }
  throw refusal("not_json", base, "a schema is an object, true or false");
}

/** The first levels of a way that is too long to be shown. */
function ancestorOf(pointer: string): string {
  return pointer.split("/").slice(0, 9).join("/");
}
