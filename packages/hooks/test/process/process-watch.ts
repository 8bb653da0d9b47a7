import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** True for a process that runs; one that has ended and was not reaped does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/ Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits, up to five seconds, for something that must come soon. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) return true;
    await sleep(25);
  }
  return false;
}

/** Descriptors that this process holds. */
export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}
