import { isJsonObject, parseStrict, type JsonValue, type StrictParse } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { readSpecs, refuseUnknownKeys, SpecProblem, type HookSettings } from "./hook-spec.ts";
import { lineAt, lineOfPointer } from "./json-lines.ts";
import { readRegularFile, type RegularFile } from "./regular-file.ts";

/** The version of hooks.json that this package reads. */
export const HOOKS_FILE_SCHEMA = 1;

/** Most bytes of a hooks.json: 1 MiB. */
const MAX_FILE_BYTES = 1024 * 1024;

/** A hooks.json that was read and found right. */
export interface HooksFile {
  readonly file: RegularFile;
  readonly hooks: readonly HookSettings[];
}

/**
 * Reads a hooks.json; a path at which there is nothing gives undefined.
 *
 * @throws HookError `unreadable_file`, `invalid_file` (with path, line and pointer) or `unsupported_schema`.
 */
export async function readHooksFile(path: string, signal?: AbortSignal): Promise<HooksFile | undefined> {
  const file = await readRegularFile(path, { maxBytes: MAX_FILE_BYTES, signal });
  return file && { file, hooks: parseHooksFile(path, file.text) };
}

/** Reads the text of a hooks.json; `path` is for the errors. @throws HookError as `readHooksFile`. */
export function parseHooksFile(path: string, text: string): readonly HookSettings[] {
  const parsed = parseStrict(text, { maxBytes: MAX_FILE_BYTES });
  if (!parsed.ok) throw notJson(path, text, parsed);
  try {
    return readDocument(path, parsed.value);
  } catch (error) {
    if (!(error instanceof SpecProblem)) throw error;
    const { pointer, message } = error;
    throw invalid({ path, line: lineOfPointer(text, pointer), pointer }, message);
  }
}

function readDocument(path: string, document: JsonValue): readonly HookSettings[] {
  if (!isJsonObject(document)) throw new SpecProblem("", "hooks.json must be an object");
  const { schema, hooks } = document;
  if (schema === undefined) throw new SpecProblem("", `'schema' is missing; it must be ${HOOKS_FILE_SCHEMA}`);
  if (schema !== HOOKS_FILE_SCHEMA) {
    const found = JSON.stringify(schema);
    throw new HookError(
      "unsupported_schema",
      `${path}: schema ${found} is not supported; this version reads schema ${HOOKS_FILE_SCHEMA}`,
      { details: { path, found, supported: HOOKS_FILE_SCHEMA } },
    );
  }
  refuseUnknownKeys(document, ["schema", "hooks"], "");
  if (hooks === undefined) throw new SpecProblem("", "'hooks' is missing; it must be a list");
  return readSpecs(hooks, "/hooks");
}

function notJson(path: string, text: string, refused: Extract<StrictParse, { ok: false }>): HookError {
  const { offset, message } = refused;
  return invalid({ path, line: lineAt(text, offset), pointer: "" }, message);
}

function invalid(where: { path: string; line: number; pointer: string }, message: string): HookError {
  return new HookError("invalid_file", `${where.path}:${where.line}: ${message}`, { details: where });
}
