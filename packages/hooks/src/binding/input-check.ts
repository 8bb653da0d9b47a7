import { isJsonObject, type JsonSchema, type JsonValue, type StandardSchema } from "@basis/core";

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

/** A check by a schema that validates itself. */
export function standardCheck(schema: StandardSchema): InputCheck {
  return {
    isDone: true,
    check: async (input) => readAnswer(await schema["~standard"].validate(input)),
  };
}

/** A check by a JSON Schema, which is compiled once for the life of `schema`. */
export function jsonCheck(schema: { readonly jsonSchema: unknown }, validator: InputValidator): InputCheck {
  return { isDone: false, check: (input) => checkJson(schema, validator, input) };
}

/** Both ways in which schemas answer: `{issues}` or `{value}`, and `{success, value}`. */
export function readAnswer(answer: unknown): CheckedInput {
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
