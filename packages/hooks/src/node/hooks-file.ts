import { isJsonObject, parseStrict, type JsonValue } from "@basis/core";
import { HookError } from "../hook-error.ts";
import { checkSpecs, SpecProblem, unknownKeys, type HookSettings, type SpecCheck } from "./hook-spec.ts";
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
  const { hooks, problems } = checkHooksFile(text);
  if (problems[0] !== undefined) throw errorOf(path, problems[0]);
  return hooks;
}

/** Something wrong with the text of a hooks.json. */
export interface HooksFileProblem {
  readonly line: number;
  readonly pointer: string;
  readonly message: string;
  /** The schema that the file asks for; absent for every other problem. */
  readonly foundSchema?: string;
}

/** A hooks.json as far as it could be read. */
export interface HooksFileCheck {
  readonly hooks: readonly HookSettings[];
  readonly problems: readonly HooksFileProblem[];
}

/** Reads the text of a hooks.json and finds all that is wrong with it; of a text that is not JSON, the first thing. */
export function checkHooksFile(text: string): HooksFileCheck {
  const parsed = parseStrict(text, { maxBytes: MAX_FILE_BYTES });
  if (!parsed.ok) {
    const line = lineAt(text, parsed.offset);
    return { hooks: [], problems: [{ line, pointer: "", message: parsed.message }] };
  }
  const { value } = parsed;
  const foundSchema = otherSchema(value);
  const { hooks, problems } = checkDocument(value, foundSchema);
  const located = problems.map(({ pointer, message }) => ({
    line: lineOfPointer(text, pointer),
    pointer,
    message,
    ...(foundSchema !== undefined && { foundSchema }),
  }));
  return { hooks, problems: located };
}

/** The schema that a document names, when it is another than the one that this version reads. */
function otherSchema(document: JsonValue): string | undefined {
  const schema = isJsonObject(document) ? document["schema"] : undefined;
  return schema === undefined || schema === HOOKS_FILE_SCHEMA ? undefined : JSON.stringify(schema);
}

/** Nothing more is said about a document of another schema. */
function checkDocument(document: JsonValue, foundSchema: string | undefined): SpecCheck {
  const only = (pointer: string, message: string): SpecCheck => ({
    hooks: [],
    problems: [new SpecProblem(pointer, message)],
  });
  if (!isJsonObject(document)) return only("", "hooks.json must be an object");
  if (foundSchema !== undefined) {
    const supported = `this version reads schema ${HOOKS_FILE_SCHEMA}`;
    return only("/schema", `schema ${foundSchema} is not supported; ${supported}`);
  }
  const { schema, hooks } = document;
  const missing = (key: string, must: string): SpecProblem =>
    new SpecProblem("", `'${key}' is missing; it must be ${must}`);
  const entries = hooks === undefined ? undefined : checkSpecs(hooks, "/hooks");
  return {
    hooks: entries?.hooks ?? [],
    problems: [
      ...(schema === undefined ? [missing("schema", String(HOOKS_FILE_SCHEMA))] : []),
      ...unknownKeys(document, ["schema", "hooks"], ""),
      ...(entries?.problems ?? [missing("hooks", "a list")]),
    ],
  };
}

function errorOf(path: string, problem: HooksFileProblem): HookError {
  const { line, pointer, message, foundSchema: found } = problem;
  const words = `${path}:${line}: ${message}`;
  if (found === undefined) return new HookError("invalid_file", words, { details: { path, line, pointer } });
  return new HookError("unsupported_schema", words, {
    details: { path, found, supported: HOOKS_FILE_SCHEMA },
  });
}
