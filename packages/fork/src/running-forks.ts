import { untilAborted } from "@basis/core";
import { ForkError } from "./fork-error.ts";

/** The forks under way, so that a shutdown can wait for them. */
export interface RunningForks {
  /**
   * Runs `work` unless shut down.
   *
   * @throws ForkError `forks_shut_down`.
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses new work and waits for what runs, however it ends. The signal ends the wait, not the work. */
  shutdown(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** Starts with nothing running. */
export function createRunningForks(): RunningForks {
  const running = new Set<Promise<unknown>>();
  let closed = false;
  return {
    async run(work) {
      if (closed) throw new ForkError("forks_shut_down", "forks are shut down", { details: {} });
      const started = work();
      running.add(started);
      try {
        return await started;
      } finally {
        running.delete(started);
      }
    },
    async shutdown({ signal } = {}) {
      closed = true;
      const ended = Promise.allSettled(running);
      await (signal === undefined ? ended : untilAborted(signal, () => ended));
    },
  };
}
