import { readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Environment } from "../config/data-dir.ts";
import { StartError } from "../config/start-error.ts";
import { LINEAGE_VARIABLE } from "../tools/run-process.ts";

/** Processes above this one that are looked at. */
const MAX_ANCESTORS = 64;

/**
 * Refuses what grants authority where an agent may have started this command: the mark of its programs is in the
 * environment, or (where the platform has /proc) in that of a process above, or such a process is this very program. A
 * program that takes the mark off and leaves the tree of its host behind is not seen; it runs as the same user.
 *
 * @throws StartError `trust`
 */
export function refuseAgents(env: Environment, what: string): void {
  if (env[LINEAGE_VARIABLE] === undefined && !hasAgentAbove()) return;
  throw new StartError("trust", [
    `an agent's run started this command, so it cannot grant authority: ${what}; run it yourself`,
  ]);
}

function hasAgentAbove(): boolean {
  const own = realPathOf(process.argv[1] ?? "");
  let pid = process.ppid;
  for (let seen = 0; seen < MAX_ANCESTORS && pid > 1; seen += 1) {
    if (hasMark(pid) || (own !== undefined && runs(pid, own))) return true;
    pid = parentOf(pid);
  }
  return false;
}

function hasMark(pid: number): boolean {
  return words(pid, "environ").some((entry) => entry.startsWith(`${LINEAGE_VARIABLE}=`));
}

function runs(pid: number, program: string): boolean {
  const [, ...args] = words(pid, "cmdline");
  const directory = ofProcess(() => readlinkSync(`/proc/${pid}/cwd`)) ?? "/";
  return args.some(
    (arg) => arg !== "" && !arg.startsWith("-") && realPathOf(resolve(directory, arg)) === program,
  );
}

function parentOf(pid: number): number {
  const status = ofProcess(() => readFileSync(`/proc/${pid}/status`, "utf8")) ?? "";
  return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
}

function words(pid: number, file: "environ" | "cmdline"): readonly string[] {
  return ofProcess(() => readFileSync(`/proc/${pid}/${file}`, "utf8"))?.split("\0") ?? [];
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
