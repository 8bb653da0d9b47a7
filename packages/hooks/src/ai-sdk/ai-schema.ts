import { isStandardSchema } from "@basis/core";
import {
  jsonCheck,
  readAnswer,
  standardCheck,
  type InputCheck,
  type InputValidator,
} from "../binding/input-check.ts";

/** The schema of ai's `jsonSchema`, `zodSchema` …: `validate` is absent when nobody checks anything. */
interface AiSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

const AI_SCHEMA = Symbol.for("vercel.ai.schema");

/** Prepares the check of a tool's inputs; undefined when it brings a JSON Schema alone and there is no engine. */
export function inputCheck(given: unknown, validator: InputValidator | undefined): InputCheck | undefined {
  if (isStandardSchema(given)) return standardCheck(given);
  const schema = (typeof given === "function" ? (given as () => unknown)() : given) as AiSchema | undefined;
  if (typeof schema !== "object" || schema === null || !(AI_SCHEMA in schema)) return undefined;
  const { validate } = schema;
  if (validate) return { isDone: true, check: async (input) => readAnswer(await validate(input)) };
  return validator && jsonCheck(schema, validator);
}
