import { readFileSync } from "node:fs";

/** Where Linux tells for how long it runs, in seconds; a shell can read it too, so both have one clock. */
export const UPTIME_FILE = "/proc/uptime";
/** It is cut off below a hundredth of a second. */
const STEP_MS = 10;

/** The system's uptime in seconds; undefined where it is not told. */
export function readUptime(): number | undefined {
  try {
    const seconds = Number.parseFloat(readFileSync(UPTIME_FILE, "latin1"));
    return Number.isNaN(seconds) ? undefined : seconds;
  } catch {
    return undefined;
  }
}

/** The longest time there may be between two readings; beyond every limit where one of them is missing. */
export function longestMsBetween(earlier: number | undefined, later: number | undefined): number {
  if (earlier === undefined || later === undefined) return Number.POSITIVE_INFINITY;
  return Math.round((later - earlier) * 1000) + STEP_MS;
}
