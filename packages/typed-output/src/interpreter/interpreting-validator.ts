import { isJsonObject, sha256, type JsonSchema, type JsonValue } from "@basis/core";
import { contentText } from "../content-text.ts";
import type { CompiledSchema, CompileOptions, SchemaIssue, SchemaValidator } from "../schema-validator.ts";
import { PatternEffortError, withinPatternBudget } from "../pattern.ts";
import { ValidatorCache } from "../validator-cache.ts";
import { LostDigitsError, withLostDigits } from "./exact-numbers.ts";
import { startFrame, TooMuchEffort, type Judge } from "./judge.ts";
import { checkShape } from "./schema-shape.ts";
import { SchemaJudges } from "./schema-judges.ts";

/** The bounds of the prepared schemas kept. */
export interface InterpretingValidatorOptions {
  /** Most schemas kept. Default 256. */
  readonly maxEntries?: number;
  /** Most characters of schema text kept. Default 8 Mi. */
  readonly maxCharacters?: number;
}

/** Most issues told of one value. */
const MAX_TOLD = 50;

let shared: SchemaValidator | undefined;

/**
 * A `SchemaValidator` without generated code and without any other package: drafts 04, 07, 2019-09 and
 * 2020-12, own properties only, formats as hints, patterns and the whole judgement in bounded time. What cannot
 * be judged within the bounds is not accepted. References to the drafts' own meta-schemas need these in `schemas`.
 * Without options, one instance serves the process.
 */
export function interpretingValidator(options?: InterpretingValidatorOptions): SchemaValidator {
  if (options === undefined) return (shared ??= createValidator({}));
  return createValidator(options);
}

function createValidator(options: InterpretingValidatorOptions): SchemaValidator {
  const { maxEntries = 256, maxCharacters = 8 * 1024 * 1024 } = options;
  const cache = new ValidatorCache(maxEntries, maxCharacters);
  const byIdentity = new WeakMap<object, { how: CompileOptions; compiled: CompiledSchema }>();
  return {
    compile: async (schema, how) => {
      const held = isJsonObject(schema) ? byIdentity.get(schema) : undefined;
      if (held?.how.draft === how.draft && held.how.schemas === how.schemas) return held.compiled;
      const text = contentText({ draft: how.draft, schema, schemas: how.schemas });
      const compiled = cache.get(sha256(text), text.length, () => interpret(schema, how));
      if (isJsonObject(schema)) byIdentity.set(schema, { how, compiled });
      return compiled;
    },
  };
}

/** Prepares single schemas of a document, each when it is asked for. @throws OutputError `schema_invalid`. */
export function interpretParts(root: JsonSchema, how: CompileOptions): (part: JsonSchema) => CompiledSchema {
  checkShape(root, how.draft);
  const judges = new SchemaJudges(root, how);
  return (part) => {
    const judge = judges.of(part);
    return { check: (value) => check(judge, value) };
  };
}

/** Prepares a schema for judging, at once. @throws OutputError `schema_invalid`. */
export function interpret(schema: JsonSchema, how: CompileOptions): CompiledSchema {
  checkShape(schema, how.draft);
  for (const [id, document] of Object.entries(how.schemas)) checkShape(document, how.draft, `${id}#`);
  const judges = new SchemaJudges(schema, how);
  judges.makeAll(schema);
  const judge = judges.of(schema);
  return { check: (value) => check(judge, value) };
}

/**
 * Whether a verdict depends on digits that these numbers lost when they were read; what cannot be judged depends on them.
 */
export function needsLostDigits(
  schema: CompiledSchema,
  value: JsonValue,
  numbers: ReadonlySet<number>,
): boolean {
  try {
    return withLostDigits(numbers, () => schema.check(value)).some(({ keyword }) => keyword === "schema");
  } catch (error) {
    if (error instanceof LostDigitsError) return true;
    throw error;
  }
}

function check(judge: Judge, value: JsonValue): readonly SchemaIssue[] {
  const issues: SchemaIssue[] = [];
  try {
    const frame = startFrame(value, issues);
    withinPatternBudget(() => {
      judge(value, "", frame);
      return issues.length === 0;
    });
  } catch (error) {
    const isEffort = error instanceof TooMuchEffort || error instanceof PatternEffortError;
    if (!isEffort && !(error instanceof RangeError)) throw error;
    return [{ pointer: "", keyword: "schema", message: "the schema cannot judge this value" }];
  }
  if (issues.length < 2) return issues;
  const unique = new Map(issues.map((issue) => [`${issue.pointer} ${issue.message}`, issue]));
  return [...unique.values()].slice(0, MAX_TOLD);
}
