import { isJsonObject, isStandardSchema, type JsonSchema, type JsonValue } from "@basis/core";

/** An engine for JSON Schema; those of `@basis/typed-output` (`/interpreter` and `/ajv`) are ones. */
export interface InputValidator {
  compile(
    schema: JsonSchema,
    options: {
      readonly draft: "draft-07" | "2020-12";
      readonly schemas: Readonly<Record<string, JsonSchema>>;
    },
  ): Promise<{
    check(value: JsonValue): readonly { readonly pointer: string; readonly message: string }[];
  }>;
}

/** A checked input, or in a few words why it is none. */
export type CheckedInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/** Holds inputs to a tool's schema. */
export interface InputCheck {
  /** True when the framework has held the model's input to the schema before the tool is called. */
  readonly isDone: boolean;
  check(input: JsonValue): Promise<CheckedInput>;
}

/** The schema of ai's `jsonSchema`, `zodSchema` …: `validate` is absent when nobody checks anything. */
interface AiSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

const AI_SCHEMA = Symbol.for("vercel.ai.schema");

/** Prepares the check of a tool's inputs; undefined when it brings a JSON Schema alone and there is no engine. */
export function inputCheck(given: unknown, validator: InputValidator | undefined): InputCheck | undefined {
  if (isStandardSchema(given)) {
    return { isDone: true, check: async (input) => read(await given["~standard"].validate(input)) };
  }
  const schema = (typeof given === "function" ? (given as () => unknown)() : given) as AiSchema | undefined;
  if (typeof schema !== "object" || schema === null || !(AI_SCHEMA in schema)) return undefined;
  const { validate } = schema;
  if (validate) return { isDone: true, check: async (input) => read(await validate(input)) };
  return validator && jsonCheck(schema, validator);
}

/** A check by a JSON Schema, which is compiled once for the life of `schema`. */
export function jsonCheck(schema: { readonly jsonSchema: unknown }, validator: InputValidator): InputCheck {
  return { isDone: false, check: (input) => checkJson(schema, validator, input) };
}

/** Both ways of answering: `{issues}` or `{value}`, and `{success, value}`. */
function read(answer: unknown): CheckedInput {
  const { issues, success, value } = answer as {
    readonly issues?: readonly { readonly message: string }[];
    readonly success?: boolean;
    readonly value?: unknown;
  };
  if (success === true || (success === undefined && issues === undefined)) return { ok: true, value };
  const words = issues?.slice(0, 5).map(({ message }) => message);
  return { ok: false, problem: words?.join("; ") ?? "it does not fit the schema" };
}

/** What a schema was compiled to, for the life of the schema. */
const compiled = new WeakMap<object, WeakMap<InputValidator, ReturnType<InputValidator["compile"]>>>();

async function checkJson(
  schema: { readonly jsonSchema: unknown },
  validator: InputValidator,
  input: JsonValue,
): Promise<CheckedInput> {
  const engines = compiled.get(schema) ?? new WeakMap();
  compiled.set(schema, engines);
  let engine = engines.get(validator);
  if (engine === undefined) engines.set(validator, (engine = compile(await schema.jsonSchema, validator)));
  const issues = (await engine).check(input);
  if (issues.length === 0) return { ok: true, value: input };
  const words = issues.slice(0, 5).map(({ pointer, message }) => `${pointer || "the input"}: ${message}`);
  return { ok: false, problem: words.join("; ") };
}

async function compile(schema: unknown, validator: InputValidator): ReturnType<InputValidator["compile"]> {
  const how = { schemas: {} };
  const said = isJsonObject(schema) ? schema["$schema"] : undefined;
  const isOld = typeof said === "string" && said.includes("draft-0");
  if (isOld) return validator.compile(schema as JsonSchema, { ...how, draft: "draft-07" });
  try {
    return await validator.compile(schema as JsonSchema, { ...how, draft: "2020-12" });
  } catch {
    // Tuples written as before 2019 are no schema in the newer draft.
    return validator.compile(schema as JsonSchema, { ...how, draft: "draft-07" });
  }
}
