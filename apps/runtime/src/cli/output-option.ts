import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isJsonObject, parseStrict, type JsonSchema } from "@basis/core";
import { defineOutput, type OutputSpec } from "@basis/typed-output";
import { startStage } from "../config/start-error.ts";

/**
 * The schema file of `--output` as a spec, checked and compiled.
 *
 * @throws StartError `schema` naming the file.
 */
export function loadOutputSpec(file: string, withTools: boolean): Promise<OutputSpec<unknown>> {
  return startStage("schema", async () => {
    try {
      const spec = defineOutput({ ...namesOf(file), schema: readSchema(file) }) as OutputSpec<unknown>;
      const working = withTools ? spec.withTools() : spec;
      await working.compile();
      return working;
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}; correct the schema`, { cause: error });
    }
  });
}

function readSchema(file: string): JsonSchema {
  const parsed = parseStrict(readFileSync(file, "utf8"));
  if (!parsed.ok)
    throw new Error(`line ${lineAt(readFileSync(file, "utf8"), parsed.offset)}: ${parsed.message}`);
  if (!isJsonObject(parsed.value) && typeof parsed.value !== "boolean")
    throw new Error("a JSON Schema is an object");
  return parsed.value;
}

function namesOf(file: string): { readonly name: string; readonly description: string } {
  const name = basename(file).replace(/\.(schema\.)?json$/, "");
  return { name, description: `The answer, as ${basename(file)} describes it.` };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
