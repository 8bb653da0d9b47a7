import { join } from "node:path";
import { HookError } from "../hook-error.ts";
import { checkGlobalDirectory, checkGlobalFile, globalDirectoryOf } from "../node/global-directory.ts";
import { checkHooksFile } from "../node/hooks-file.ts";
import { lineOfPointer } from "../node/json-lines.ts";
import { readRegularFile, type RegularFile } from "../node/regular-file.ts";
import { workspaceFileOf } from "../node/workspace-path.ts";
import { filterWarnings, nameWarnings } from "./filter-warnings.ts";
import type { EntryWarning, Finding, LintedFile } from "./finding.ts";
import type { HookPlace } from "./hook-place.ts";
import { programWarnings } from "./program-warnings.ts";

const MAX_FILE_BYTES = 1024 * 1024;

/** A file to check. */
export interface FileToLint {
  readonly path: string;
  /** `named`: a file of the command line, which must be there; the others need not be. */
  readonly origin: "global" | "workspace" | "named";
}

/** What is checked, and against what. */
export interface LintContext {
  /** `workspace` is a real path. */
  readonly place: HookPlace;
  readonly knownTools: readonly string[] | undefined;
}

/** The operator's file and the workspace's. */
export function filesOf(place: HookPlace): readonly FileToLint[] {
  const directory = place.withGlobal ? (place.globalDir ?? globalDirectoryOf(place.env)) : undefined;
  const own: FileToLint = { path: workspaceFileOf(place.workspace), origin: "workspace" };
  return directory === undefined ? [own] : [{ path: join(directory, "hooks.json"), origin: "global" }, own];
}

/** Checks files in the order in which their hooks are asked. Those that need not be there and are not are left out. */
export async function lintFiles(
  files: readonly FileToLint[],
  context: LintContext,
): Promise<readonly LintedFile[]> {
  const seenNames = new Map<string, string>();
  const seenFiles = new Set<string>();
  const linted: LintedFile[] = [];
  for (const file of files) {
    const found = await readOrExplain(file, context.place);
    if (found === undefined) continue;
    if (!("text" in found)) {
      linted.push({ path: file.path, hookCount: 0, findings: [found] });
    } else if (!seenFiles.has(found.identity)) {
      seenFiles.add(found.identity);
      linted.push(lintText(file, found.text, { ...context, seenNames }));
    }
  }
  return linted;
}

async function readOrExplain(
  { path, origin }: FileToLint,
  { workspace, signal }: HookPlace,
): Promise<RegularFile | Finding | undefined> {
  try {
    if (origin === "global") await checkGlobalDirectory(join(path, ".."), workspace);
    const file = await readRegularFile(path, { maxBytes: MAX_FILE_BYTES, signal });
    if (file !== undefined && origin === "global") checkGlobalFile(file, workspace);
    if (file !== undefined || origin !== "named") return file;
    return { severity: "error", pointer: "", message: `there is no file ${path}` };
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    return { severity: "error", pointer: "", message: error.message };
  }
}

function lintText(
  { path, origin }: FileToLint,
  text: string,
  context: LintContext & { readonly seenNames: Map<string, string> },
): LintedFile {
  const { place, knownTools, seenNames } = context;
  const { hooks, problems } = checkHooksFile(text);
  const errors = problems.map(({ line, pointer, message }): Finding => ({
    severity: "error",
    line,
    pointer,
    message,
  }));
  const places = placesOfRight(hooks.length, errors);
  const warnings = hooks.flatMap((settings, index) => {
    const at = `/hooks/${places[index]}`;
    const { workspace, env } = place;
    const found: readonly EntryWarning[] = [
      ...nameWarnings(settings, seenNames),
      ...filterWarnings(settings, knownTools),
      ...programWarnings(settings, { workspace, env, needsTrust: origin !== "global" }),
    ];
    if (!seenNames.has(settings.name)) seenNames.set(settings.name, `${path}:${lineOfPointer(text, at)}`);
    return found.map((warning): Finding => {
      const pointer = at + warning.pointer;
      return { severity: "warning", line: lineOfPointer(text, pointer), ...warning, pointer };
    });
  });
  const findings = [...errors, ...warnings].toSorted((left, right) => left.line! - right.line!);
  return { path, hookCount: hooks.length, findings };
}

/** The places in the file of the entries that are right: all but those that an error is about. */
function placesOfRight(count: number, errors: readonly Finding[]): readonly number[] {
  const wrong = new Set(errors.map(({ pointer }) => Number(/^\/hooks\/(\d+)/.exec(pointer)?.[1] ?? -1)));
  const places: number[] = [];
  for (let place = 0; places.length < count; place += 1) if (!wrong.has(place)) places.push(place);
  return places;
}
