import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../process/child-environment.ts";

/** Set in every program that an agent starts. */
export const LINEAGE_VARIABLE = "BASIS_LINEAGE";

/** Processes above this one that are looked at; below more of them nobody is taken for a person. */
const MAX_ANCESTORS = 256;

/**
 * True where an agent may have started this process: its mark is in the environment or, where the platform has /proc, in
 * that of a process above. A program that takes the mark off and leaves the tree of its agent behind is not seen.
 */
export function isBelowAgent(env: Environment): boolean {
  return env[LINEAGE_VARIABLE] !== undefined || hasMarkAbove(process.ppid, "/proc");
}

/** True when the process or one above it has the mark; `table` is laid out as /proc is. */
export function hasMarkAbove(parent: number, table: string): boolean {
  let pid = parent;
  for (let seen = 0; pid > 0; seen += 1) {
    const place = join(table, String(pid));
    const marked = textOf(place, "environ")
      .split("\0")
      .some((entry) => entry.startsWith(`${LINEAGE_VARIABLE}=`));
    if (seen === MAX_ANCESTORS || marked) return true;
    pid = Number(/^PPid:\s*(\d+)$/m.exec(textOf(place, "status"))?.[1] ?? 0);
  }
  return false;
}

/** Empty where the platform does not tell, or the process is gone or another user's. */
function textOf(place: string, file: "environ" | "status"): string {
  try {
    return readFileSync(join(place, file), "utf8");
  } catch {
    return "";
  }
}
