import { spawnInput } from "../binding/spawn-input.ts";

/** The input of the spawn tool as a schema of ai's own kind. */
export function spawnSchema(): object {
  const validate = (value: unknown): object => {
    const { input } = Object(value) as { readonly input?: unknown };
    if (typeof input === "string") return { success: true, value: { input } };
    return { success: false, error: new Error('spawn takes {"input": "…"}: one text that holds the task') };
  };
  return { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: spawnInput(), validate };
}
