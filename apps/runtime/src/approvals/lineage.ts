import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import { LINEAGE_VARIABLE } from "../tools/lineage-mark.ts";

/** Processes above this one that are looked at; below more of them nobody is taken for a person. */
const MAX_ANCESTORS = 256;

/**
 * Refuses what grants authority where an agent may have started this command: the mark of its programs is in the
 * environment, or (where the platform has /proc) in that of a process above, or such a process is this very program. A
 * program that takes the mark off and leaves the tree of its host behind is not seen; it runs as the same user.
 *
 * @throws StartError `trust`
 */
export function refuseAgents(env: Environment, what: string): void {
  if (!isBelowAgent(env)) return;
  throw new StartError("trust", [
    `an agent's run started this command, so it cannot grant authority: ${what}; run it yourself`,
  ]);
}

/** True where an agent may have started this command. */
export function isBelowAgent(env: Environment): boolean {
  return env[LINEAGE_VARIABLE] !== undefined || hasAgentAbove(thisProcess());
}

/** Where processes are looked at. */
export interface ProcessTree {
  /** Laid out as /proc is; nothing is seen where it is missing. */
  readonly table: string;
  /** The process above, the first that is looked at. */
  readonly parent: number;
  /** The file of the host's program. */
  readonly program: string;
}

function thisProcess(): ProcessTree {
  return { table: "/proc", parent: process.ppid, program: process.argv[1] ?? "" };
}

/** True when a process above is an agent's, or a host of agents; the first of a container may be one. */
export function hasAgentAbove({ table, parent, program }: ProcessTree): boolean {
  const own = realPathOf(program);
  let pid = parent;
  for (let seen = 0; pid > 0; seen += 1) {
    const place = join(table, String(pid));
    if (seen === MAX_ANCESTORS || hasMark(place) || (own !== undefined && runs(place, own))) return true;
    pid = parentOf(place);
  }
  return false;
}

function hasMark(place: string): boolean {
  return words(place, "environ").some((entry) => entry.startsWith(`${LINEAGE_VARIABLE}=`));
}

function runs(place: string, program: string): boolean {
  if (!isRuntime(place)) return false;
  const [, ...args] = words(place, "cmdline");
  const directory = ofProcess(() => readlinkSync(join(place, "cwd"))) ?? "/";
  return args.some((arg) => realPathOf(resolve(directory, arg)) === program);
}

/** False for what only starts the program that it names, as `timeout` and `xargs` do; true where nobody can tell. */
function isRuntime(place: string): boolean {
  const file = ofProcess(() => readlinkSync(join(place, "exe")));
  return (
    file === undefined || file === realPathOf(process.execPath) || /^(?:node|bun|deno)/.test(basename(file))
  );
}

function parentOf(place: string): number {
  const status = ofProcess(() => readFileSync(join(place, "status"), "utf8")) ?? "";
  return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
}

function words(place: string, file: "environ" | "cmdline"): readonly string[] {
  return ofProcess(() => readFileSync(join(place, file), "utf8"))?.split("\0") ?? [];
}

function realPathOf(path: string): string | undefined {
  return ofProcess(() => realpathSync(path));
}

/** Undefined where the platform does not tell, or the process is gone or another user's. */
function ofProcess<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
