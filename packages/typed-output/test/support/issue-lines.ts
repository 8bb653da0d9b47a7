import type { JsonSchema, JsonValue } from "@basis/core";
import { describeIssue } from "../../src/feedback.ts";
import { defineOutput } from "../../src/index.ts";

/** What the model would be told of a value, a line for each issue. */
export async function messages(schema: JsonSchema, value: JsonValue, redact = false): Promise<string[]> {
  const compiled = await defineOutput({ name: "f", description: "", schema }).compile();
  return compiled.check(value).map((issue) => {
    const { pointer, message } = describeIssue(issue, value, redact);
    return `${pointer}: ${message}`;
  });
}

/** The schema of an object. */
export const object = (properties: Record<string, JsonSchema>, more: object = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
