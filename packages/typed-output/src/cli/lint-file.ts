import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { isBasisError, isJsonObject, parseStrict, type JsonSchema } from "@basis/core";
import type { Ledger } from "../ledger.ts";
import type { LimitCount } from "../lowering/index.ts";
import { defineOutput, type OutputSpec } from "../output-spec.ts";
import type { LintWarning } from "../lint.ts";
import type { LintArguments } from "./lint-arguments.ts";

/** What becomes of a schema on its way to one provider. */
export interface ProviderFinding {
  readonly provider: string;
  readonly unsupported: readonly { readonly pointer: string; readonly message: string }[];
  readonly limits: readonly LimitCount[];
  readonly ledger: Ledger;
}

/** What was found in one file. */
export interface FileFinding {
  readonly file: string;
  /** Why the file holds no usable schema; nothing else is known then. */
  readonly error?: { readonly code: string; readonly message: string; readonly pointer: string };
  readonly warnings: readonly LintWarning[];
  readonly providers: readonly ProviderFinding[];
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 256;

/** Checks the schema in a file against the subsets of providers. Never throws. */
export async function lintFile(file: string, { providers }: LintArguments): Promise<FileFinding> {
  try {
    const spec = specOf(file, await readSchema(file));
    await spec.compile();
    const checks = await Promise.all(providers.map((dialect) => spec.check({ dialect })));
    const found = checks.map(({ unsupported, limits, ledger }, index) => ({
      provider: providers[index]!,
      unsupported,
      limits,
      ledger,
    }));
    return { file, warnings: checks[0]?.warnings ?? [], providers: found };
  } catch (error) {
    return { file, error: describeError(error), warnings: [], providers: [] };
  }
}

async function readSchema(file: string): Promise<JsonSchema> {
  const text = await readRegularFile(file);
  const parsed = parseStrict(text.replace(/^\uFEFF/, ""), { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (!parsed.ok) throw new Error(`not JSON: ${parsed.message}`);
  if (isJsonObject(parsed.value) || typeof parsed.value === "boolean") return parsed.value;
  throw new Error("a schema is an object, true or false");
}

/** A pipe or a device neither blocks nor is read. */
async function readRegularFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if ((await file.stat()).isFile()) return await file.readFile("utf8");
    throw Object.assign(new Error("it is not a regular file"), { code: "not_a_file" });
  } finally {
    await file.close();
  }
}

function specOf(file: string, schema: JsonSchema): OutputSpec<unknown> {
  const said = isJsonObject(schema) ? (schema["description"] ?? schema["title"]) : undefined;
  const name = basename(file).replace(/\.json$/, "");
  return defineOutput({ name, description: typeof said === "string" ? said : "", schema });
}

function describeError(error: unknown): NonNullable<FileFinding["error"]> {
  const message = error instanceof Error ? error.message : String(error);
  if (!isBasisError(error)) {
    const given = (error as { code?: unknown } | null)?.code;
    const code = typeof given === "string" ? given : "not_json";
    // The system's own errors begin with their code.
    return { code, message: message.replace(`${code}: `, ""), pointer: "" };
  }
  const { pointer } = error.details as { readonly pointer?: unknown };
  return { code: error.code, message, pointer: typeof pointer === "string" ? pointer : "" };
}
