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

/** True for a mark of this process, or of one of its programs. */
export function isOwnMark(mark: string): boolean {
  return mark === ownMark || mark.startsWith(`${ownMark}-`);
}

/** The number of the process that made a mark; undefined for what is none. */
export function hostOf(mark: string): number | undefined {
  const pid = /^([1-9]\d{0,9})\.[0-9a-f]{12}(?:-\d+)?$/.exec(mark)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

let started = false;
let programs = 0;

/** A mark that one program alone has, and the lineage in which it is the last. */
export function markProgram(env: Environment): { readonly lineage: string; readonly mark: string } {
  markGiven();
  const given = env[LINEAGE_VARIABLE] ?? ownMark;
  const above = given.slice(0, given.lastIndexOf(",") + 1);
  const mark = `${ownMark}-${(programs += 1)}`;
  return { lineage: `${above}${mark}`, mark };
}

/** Notes that a program has the mark. */
export function markGiven(): void {
  started = true;
}

/** False where no program was started, so that there is nothing to look for. */
export function isMarkGiven(): boolean {
  return started;
}
