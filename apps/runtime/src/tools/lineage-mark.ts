import { randomBytes } from "node:crypto";
import type { Environment } from "@basis/hooks/process";

/** Set in every program that an agent starts, and so in all that it starts itself. */
export const LINEAGE_VARIABLE = "BASIS_LINEAGE";

/** One word for this process, told apart from every other host's: its number, and what no other process has. */
export const ownMark = `${process.pid}.${randomBytes(6).toString("hex")}`;

/** What the variable holds in a program of this host: the mark, after those of the hosts that this one runs below. */
export function lineageOf(env: Environment): string {
  const above = env[LINEAGE_VARIABLE];
  return above ? `${above},${ownMark}` : ownMark;
}

/** The marks in a variable that was set by a host. */
export function marksIn(value: string): readonly string[] {
  return value.split(",");
}

/** The number of the process that made a mark; undefined for what is none. */
export function hostOf(mark: string): number | undefined {
  const pid = /^([1-9]\d{0,9})\.[0-9a-f]{12}$/.exec(mark)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

let started = false;

/** Notes that a program has the mark. */
export function markGiven(): void {
  started = true;
}

/** False where no program was started, so that there is nothing to look for. */
export function isMarkGiven(): boolean {
  return started;
}
