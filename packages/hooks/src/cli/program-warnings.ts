import { closeSync, openSync, readSync, statSync, type Stats } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { childEnvironment, type Environment } from "../process/child-environment.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { resolveProgram, type ProgramSearch } from "../process/resolve-program.ts";
import { codeOf } from "../trust/entry-code.ts";
import { programName, scriptPlace } from "../trust/interpreters.ts";
import type { EntryWarning } from "./finding.ts";

const FIRST_LINE_BYTES = 256;

/** Where entries run, and whether their code is to be pinned. */
export interface ProgramContext {
  /** A real path. */
  readonly workspace: string;
  readonly env: Environment;
  /** True for a workspace's own entries: the operator's need no trust. */
  readonly needsTrust: boolean;
}

/** What would keep an entry's program from running here, and what trust could not pin. Reads files, runs nothing. */
export function programWarnings(settings: HookSettings, context: ProgramContext): readonly EntryWarning[] {
  const { workspace, env, needsTrust } = context;
  const search = { workspace, env: childEnvironment(env, { workspace, granted: settings.env }) };
  const missing = [...startProblems(settings.command, search, env), ...fileProblems(settings, workspace)];
  if (missing.length > 0 || !needsTrust) return missing;
  return codeOf(settings, search).unpinned.map((why) => ({
    pointer: "/command",
    message: `it cannot be pinned: ${why}`,
    hint: "name a program of the system and a script in a file; else trusting it needs --allow-unpinned",
  }));
}

function startProblems(
  command: readonly string[],
  search: ProgramSearch,
  host: Environment,
): readonly EntryWarning[] {
  const [word = "", ...args] = command;
  const program = resolveProgram(word, search);
  if (program === undefined) return [{ pointer: "/command/0", ...whyNoProgram(word, search, host) }];
  const place = scriptPlace(programName(word), args);
  if (place.kind === "script") {
    const script = args[place.index]!;
    if (isFile(resolve(search.workspace, script))) return [];
    return [
      {
        pointer: `/command/${place.index + 1}`,
        message: `there is no file '${script}' for '${word}' to run`,
        hint: `paths are looked up from the workspace ${search.workspace}`,
      },
    ];
  }
  return firstLineProblems(program, search);
}

function whyNoProgram(
  word: string,
  { workspace, env }: ProgramSearch,
  host: Environment,
): { message: string; hint: string } {
  const isPath = isAbsolute(word) || /[/\\]/.test(word);
  if (!isPath) {
    const everywhere = { workspace, env: { ...env, PATH: host["PATH"] ?? "" } };
    const hint =
      resolveProgram(word, everywhere) === undefined
        ? "install it, or name its path"
        : "what lies in the workspace or at a relative entry of PATH does not count";
    return { message: `there is no program '${word}' on PATH`, hint };
  }
  const path = resolve(workspace, word);
  const facts = factsOf(path);
  if (facts === undefined)
    return { message: `there is no file '${word}'`, hint: `it is looked up as ${path}` };
  if (!facts.isFile()) return { message: `'${word}' is not a file`, hint: "name the program itself" };
  return { message: `'${word}' is not executable`, hint: `chmod +x ${path}` };
}

/** What the first line of a script starts must be there as well. */
function firstLineProblems(program: string, search: ProgramSearch): readonly EntryWarning[] {
  const line = firstLine(program);
  if (line === undefined) return [];
  const pointer = "/command/0";
  if (line.endsWith("\r"))
    return [
      {
        pointer,
        message: `the first line of ${program} ends with a carriage return, so that it cannot be started`,
        hint: "save it with line feeds alone",
      },
    ];
  const [first = "", second = ""] = line.trim().split(/\s+/);
  const name = programName(first) === "env" && second !== "" && !second.startsWith("-") ? second : first;
  if (resolveProgram(name, search) !== undefined) return [];
  return [
    {
      pointer,
      message: `the first line of ${program} starts '${name}', which is not there`,
      hint: "install it, or correct that line",
    },
  ];
}

/** What stands after `#!`; undefined for a file without. */
function firstLine(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const start = Buffer.alloc(FIRST_LINE_BYTES);
    const text = start.toString("latin1", 0, readSync(file, start));
    return text.startsWith("#!") ? text.slice(2).split("\n")[0] : undefined;
  } catch {
    // What may be executed need not be readable.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Declared files must be there to be pinned. */
function fileProblems({ files }: HookSettings, workspace: string): readonly EntryWarning[] {
  return files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => !isFile(resolve(workspace, file)))
    .map(({ file, index }) => ({
      pointer: `/files/${index}`,
      message: `there is no file '${file}', so that the workspace cannot be trusted`,
      hint: `paths are looked up from the workspace ${workspace}`,
    }));
}

function isFile(path: string): boolean {
  return factsOf(path)?.isFile() === true;
}

/** Whatever keeps a path from being looked up (a file on the way, a loop of links, its length), nothing is there. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
