import type { JsonSchema } from "@basis/core";
import { OutputError } from "./output-error.ts";
import { META_SCHEMA, referencesOf } from "./schema-references.ts";
import type { CompiledSchema, SchemaValidator } from "./schema-validator.ts";
import { walkSchema } from "./schema-walk.ts";

/** Longest schema text that is worth compiling: ajv takes some ms for each 1,000 characters, for ever for the process. */
const MAX_COMPILED = 3_000;

/** True once ajv turned out to be missing or forbidden in this process. */
let withoutAjv = false;

/**
 * The validator of a spec that names none: ajv for schemas up to 3,000 characters without references and `unevaluated…`, where it is
 * installed and code may be generated from text, else the interpreter. Which one judges a schema is settled when it is compiled.
 */
export const defaultValidator: SchemaValidator = {
  async compile(schema, how): Promise<CompiledSchema> {
    if (!withoutAjv && isWorthCompiling(schema)) {
      try {
        const { ajvValidator } = await import("./ajv/index.ts");
        return await ajvValidator().compile(schema, how);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        withoutAjv = !isDraftMissing(error);
      }
    }
    const { interpretingValidator } = await import("./interpreter/index.ts");
    return interpretingValidator().compile(schema, how);
  },
};

/** ajv takes members named like those of every object (`toString`), and items of unmet alternatives, for evaluated. */
const MISJUDGED = ["unevaluatedProperties", "unevaluatedItems"];

/**
 * Small, without references, and within what ajv judges rightly: generated code judges a value anew on each way that
 * leads to it, which multiplies where unions refer to themselves; the interpreter judges it once.
 * The drafts' own meta-schemas are with ajv alone.
 */
function isWorthCompiling(schema: JsonSchema): boolean {
  const nodes = [...walkSchema(schema)].map(({ schema: node }) => node);
  const references = nodes.flatMap(referencesOf);
  if (references.some((reference) => META_SCHEMA.test(reference))) return true;
  if (references.length > 0 || JSON.stringify(schema).length > MAX_COMPILED) return false;
  return !nodes.some((node) => MISJUDGED.some((keyword) => Object.hasOwn(node, keyword)));
}

/** The peer is not there, or the platform forbids code made from text (a content security policy, a flag of Node). */
function isUnavailable(error: unknown): boolean {
  const cause = (error as { cause?: unknown } | null)?.cause;
  return OutputError.is(error, "peer_missing") || error instanceof EvalError || cause instanceof EvalError;
}

/** Only the package for one draft is missing. */
function isDraftMissing(error: unknown): boolean {
  return OutputError.is(error, "peer_missing") && error.details.package !== "ajv";
}
