import { existsSync, readFileSync } from "node:fs";

/** The process ids that a program wrote into a file, one a line; none before it has. */
export function pidsIn(file: string): readonly number[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /^\d+$/.test(line))
    .map(Number);
}

/** True while the process runs; one that has ended and was not collected counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until something holds; rejects after ten seconds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > 10_000) throw new Error(`${what}: not after 10 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until every process is gone. */
export function untilGone(pids: readonly number[]): Promise<void> {
  return until(`processes ${pids.join(", ")} gone`, () => !pids.some(isAlive));
}
