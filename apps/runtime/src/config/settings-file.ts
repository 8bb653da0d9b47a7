import { lstatSync } from "node:fs";
import { join } from "node:path";
import { parseStrict, type JsonObject, type JsonValue } from "@basis/core";
import { checkShape } from "../input/check-shape.ts";
import { lineAt, valueLines } from "../input/json-lines.ts";
import { readConfined } from "../tools/confined-file.ts";
import { StartError } from "./start-error.ts";

const MAX_BYTES = 256 * 1024;

/** What is wrong in a settings file, and where: a JSON pointer into it. */
export interface SettingsProblem {
  readonly pointer: string;
  readonly message: string;
}

/** A JSON file of the workspace that was read, and how its problems are told. */
export interface SettingsFile {
  readonly path: string;
  readonly value: JsonValue;
  /** Every problem with file and line. @throws StartError `workspace` unless there is none. */
  refuse(problems: readonly SettingsProblem[]): void;
}

/**
 * Reads a JSON file of the workspace: regular, no link, UTF-8, one strict document of at most 256 KiB. Where there is
 * nothing the answer is undefined.
 *
 * @throws StartError `workspace`
 */
export async function readSettingsFile(root: string, name: string): Promise<SettingsFile | undefined> {
  const path = join(root, name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const text = await readText(root, name);
  const parsed = parseStrict(text, { maxBytes: MAX_BYTES });
  if (!parsed.ok) throw refusal([`${path}:${lineAt(text, parsed.offset)}: ${parsed.message}`]);
  const refuse: SettingsFile["refuse"] = (problems) => {
    if (problems.length === 0) return;
    const lines = valueLines(text);
    throw refusal(
      problems.map(({ pointer, message }) => {
        const where = pointer === "" ? "" : `${pointer}: `;
        return `${path}:${lines.get(pointer) ?? 1}: ${where}${message}`;
      }),
    );
  };
  return { path, value: parsed.value, refuse };
}

/** What does not fit a schema of the host's own, below a pointer. */
export function shapeProblems(schema: JsonObject, value: JsonValue, below = ""): readonly SettingsProblem[] {
  return checkShape(schema, value).map(({ pointer, message }) => ({ pointer: below + pointer, message }));
}

async function readText(root: string, name: string): Promise<string> {
  const path = join(root, name);
  let bytes: Buffer;
  try {
    bytes = await readConfined(root, name, MAX_BYTES);
  } catch (error) {
    throw refusal([`${path}: it cannot be read: ${(error as Error).message}`], error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw refusal([`${path}: it is not UTF-8 text; save it as UTF-8`], error);
  }
}

function refusal(problems: readonly string[], cause?: unknown): StartError {
  return new StartError("workspace", problems, cause);
}
