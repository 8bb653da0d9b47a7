import type { ChildProcess } from "node:child_process";
import type { Clock } from "@basis/core";

/** How long a program may take to end after it was asked to, before it is killed. */
const TERMINATION_GRACE_MS = 500;

const living = new Set<ProcessGroup>();

/** Kills what still runs when the host itself exits. */
function killAll(): void {
  for (const group of living) group.kill("SIGKILL");
}

/** A child and everything it started, which share one process group. On Windows it is the child alone. */
export class ProcessGroup {
  readonly #child: ChildProcess;
  #ended = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (living.size === 0) process.on("exit", killAll);
    living.add(this);
  }

  /** Signals the whole group; nothing happens once it has ended, since its number may belong to somebody else by then. */
  kill(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#ended) return;
    try {
      if (process.platform === "win32") this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // no process of the group is left
    }
  }

  /**
   * Asks the group to end and kills it 500 ms later; `onStuck` is called after as long again, for a process that the
   * kernel cannot end. The answer calls both off, for when it has ended.
   */
  terminate(clock: Clock, onStuck: () => void): () => void {
    this.kill("SIGTERM");
    let callOff = clock.alarm(TERMINATION_GRACE_MS, () => {
      this.kill("SIGKILL");
      callOff = clock.alarm(TERMINATION_GRACE_MS, onStuck);
    });
    return () => callOff();
  }

  /** The leader has exited: kills whatever it left behind, in the same tick, and forgets the group. */
  end(): void {
    if (!living.delete(this)) return;
    this.kill("SIGKILL");
    this.#ended = true;
    if (living.size === 0) process.off("exit", killAll);
  }
}
