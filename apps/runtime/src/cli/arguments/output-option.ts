import { basename, resolve } from "node:path";
import { isBasisError, isJsonObject, parseStrict, type JsonSchema } from "@basis/core";
import { defineOutput, type OutputSpec } from "@basis/typed-output";
import { readRegularFile, unreadable } from "../../input/regular-file.ts";
import { startStage, StartError } from "../../config/start-error.ts";
import { lineAt, valueLines } from "../../input/json-lines.ts";

/** Most bytes of a schema file, and most levels: as `typed-output lint` has them, so that both say the same of one file. */
const LIMITS = { maxBytes: 16 * 1024 * 1024, maxDepth: 256 } as const;

/** The schema file of `--output`, and whether tools may be used before the answer. */
export interface OutputChoice {
  readonly file: string;
  readonly withTools: boolean;
  /** Where a relative path starts. */
  readonly directory: string;
}

/**
 * The schema file as a spec, checked and compiled.
 *
 * @throws StartError `schema` naming file and line.
 */
export function loadOutputSpec({ file, withTools, directory }: OutputChoice): Promise<OutputSpec<unknown>> {
  return startStage("schema", async () => {
    const text = readText(resolve(directory, file), file);
    const schema = readSchema(text, file);
    try {
      const spec = defineOutput({ ...namesOf(file), schema }) as OutputSpec<unknown>;
      const working = withTools ? spec.withTools() : spec;
      await working.compile();
      return working;
    } catch (error) {
      throw refuse(`${file}:${lineOf(error, text)}`, (error as Error).message, error);
    }
  });
}

function readText(path: string, file: string): string {
  try {
    return readRegularFile(path, LIMITS)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
  } catch (error) {
    throw new StartError(
      "schema",
      [`${file}: ${unreadable(error)}; --output takes the path of a JSON Schema`],
      error,
    );
  }
}

function readSchema(text: string, file: string): JsonSchema {
  const parsed = parseStrict(text, LIMITS);
  if (!parsed.ok) throw refuse(`${file}:${lineAt(text, parsed.offset)}`, parsed.message);
  if (!isJsonObject(parsed.value) && typeof parsed.value !== "boolean")
    throw refuse(`${file}:1`, "a JSON Schema is an object");
  return parsed.value;
}

/** The line of the place that a refusal points to. */
function lineOf(error: unknown, text: string): number {
  const { pointer } = (isBasisError(error) ? error.details : {}) as { readonly pointer?: unknown };
  const told = typeof pointer === "string" ? pointer : / at (\/\S*)$/.exec((error as Error).message)?.[1];
  return (told === undefined ? undefined : valueLines(text).get(told)) ?? 1;
}

function refuse(where: string, problem: string, cause?: unknown): StartError {
  return new StartError("schema", [`${where}: ${problem}; correct the schema`], cause);
}

function namesOf(file: string): { readonly name: string; readonly description: string } {
  const name = basename(file)
    .replace(/\.(schema\.)?json$/, "")
    .replaceAll(/[^A-Za-z0-9_]+/g, "_")
    .slice(0, 32);
  return {
    name: /^[A-Za-z]/.test(name) ? name : "answer",
    description: `The answer, as ${basename(file)} describes it.`,
  };
}
