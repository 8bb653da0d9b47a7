import { openSync, readSync, closeSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import type { HookSettings } from "../node/hook-spec.ts";
import { isInside } from "../process/path-inside.ts";
import { resolveProgram, type ProgramSearch } from "../process/resolve-program.ts";
import { codeLoadingVariables, isInterpreter, programName, scriptPlace } from "./interpreters.ts";

/** Where an entry's code lies, as the runner would find it now. */
export interface EntryCode {
  /** As in `EntryPin`. */
  readonly program: string;
  /** The file of the command's first word; it is found once, so that what PATH or a link says later changes nothing. */
  readonly programPath: string | undefined;
  /** The word of the command that names the code: run from a copy of the verified bytes. Absent: there is no such file. */
  readonly codeIndex: number | undefined;
  /** Absolute paths of everything whose bytes are pinned. */
  readonly files: readonly string[];
  /** Why the code is not fixed by those, in words. */
  readonly unpinned: readonly string[];
}

/** Directories whose programs come with the system or its package manager. */
const SYSTEM_DIRECTORIES: readonly string[] = [
  "/bin",
  "/sbin",
  "/usr",
  "/lib",
  "/opt/homebrew",
  "/nix/store",
  "C:\\Windows\\System32",
];
const SHEBANG_BYTES = 256;

/** Finds an entry's code. Reads directories and first lines, runs nothing. */
export function codeOf(settings: HookSettings, search: ProgramSearch): EntryCode {
  const { workspace } = search;
  const { command } = settings;
  const started = startedProgram(command, search);
  const { codeIndex } = started;
  const code = codeIndex === undefined ? undefined : resolve(workspace, command[codeIndex]!);
  const isThere = code !== undefined && isFile(code);
  const files = [
    ...settings.files,
    ...command.slice(1).filter((arg) => isWorkspaceFile(arg, workspace)),
    ...(isThere ? [code, ...manifestOf(code, workspace)] : []),
  ];
  const unpinned = [
    ...codeLoadingVariables(settings.env).map((name) => `'${name}' in its 'env' can load other code`),
    ...started.unpinned,
    ...(code === undefined || isThere ? [] : [`there is no file '${command[codeIndex!]}'`]),
  ];
  return {
    program: started.program,
    programPath: started.programPath,
    codeIndex: isThere ? codeIndex : undefined,
    files: [...new Set(files.map((path) => resolve(workspace, path)))].toSorted(),
    unpinned,
  };
}

/** What the first word of a command starts, and which word names the code. */
function startedProgram(command: readonly string[], search: ProgramSearch): Omit<EntryCode, "files"> {
  const [word = "", ...args] = command;
  const name = programName(word);
  const found = resolveProgram(word, search);
  const programPath = found;
  if (found === undefined) {
    return {
      program: "none",
      programPath,
      codeIndex: undefined,
      unpinned: [`there is no program '${word}'`],
    };
  }
  const place = scriptPlace(name, args);
  const why = place.kind === "unpinned" ? [place.why] : [];
  const scriptIndex = place.kind === "script" ? place.index + 1 : undefined;
  const origin = originOf(found, search.workspace);
  if (origin === "link") {
    const link = `'${word}' is a link in the workspace to a program outside`;
    const program = `${found} to ${realpathSync(found)}`;
    return { program, programPath, codeIndex: scriptIndex, unpinned: [link, ...why] };
  }
  if (origin !== "file") return { program: origin, programPath, codeIndex: scriptIndex, unpinned: why };
  const isOutside = !isInside(search.workspace, found);
  if (!isPath(word) || (isOutside && isInterpreter(name))) {
    const outside = `'${word}' is ${found}, which is outside the system's directories`;
    return { program: found, programPath, codeIndex: scriptIndex, unpinned: [outside, ...why] };
  }
  const unpinned = [...firstLineProblems(found, search), ...(isInterpreter(name) ? why : [])];
  return { program: "file", programPath, codeIndex: 0, unpinned };
}

/** Whose a program is: the system's (by its path), that which runs the host, a link to either, or just a file. */
function originOf(path: string, workspace: string): string {
  const real = realpathSync(path);
  if (isInside(workspace, real)) return "file";
  const isHost = real === realpathSync(process.execPath);
  if (!isHost && !SYSTEM_DIRECTORIES.some((directory) => isInside(directory, real))) return "file";
  if (isInside(workspace, path)) return "link";
  return isHost ? "host" : path;
}

/** What a script's first line starts must be the system's, or the host's own. */
function firstLineProblems(path: string, search: ProgramSearch): readonly string[] {
  const line = shebangOf(path);
  if (line === undefined) return [];
  const [first = "", ...rest] = line.split(/\s+/);
  const viaEnv = programName(first) === "env" && rest.length === 1;
  const name = viaEnv ? rest[0]! : first;
  const found = viaEnv || isAbsolute(name) ? resolveProgram(name, search) : undefined;
  const origin = found === undefined ? "file" : originOf(found, search.workspace);
  if (origin === "file" || origin === "link")
    return [`its first line starts '${name}', which is not a program of the system`];
  const place = scriptPlace(programName(name), [...(viaEnv ? [] : rest), path]);
  return place.kind === "unpinned" ? [`its first line: ${place.why}`] : [];
}

function shebangOf(path: string): string | undefined {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(SHEBANG_BYTES);
    const text = start.toString("latin1", 0, readSync(file, start));
    return text.startsWith("#!") ? text.slice(2).split("\n")[0]!.trim() : undefined;
  } finally {
    closeSync(file);
  }
}

/** The package.json that says how Node reads a script, up to the workspace's root. */
function manifestOf(script: string, workspace: string): readonly string[] {
  if (![".js", ".ts"].includes(extname(script)) || !isInside(workspace, script)) return [];
  for (let at = dirname(script); isInside(workspace, at); at = dirname(at)) {
    const path = join(at, "package.json");
    if (isFile(path)) return [path];
  }
  return [];
}

function isWorkspaceFile(arg: string, workspace: string): boolean {
  const path = resolve(workspace, arg);
  return arg !== "" && !arg.startsWith("-") && isInside(workspace, path) && isFile(path);
}

function isPath(name: string): boolean {
  return isAbsolute(name) || /[/\\]/.test(name);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
