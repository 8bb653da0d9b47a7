import type { Clock } from "@basis/core";
import type { StateChanges } from "../../store/changes.ts";
import type { CancelRequests } from "../../store/host-ledger.ts";

/** How often a process that runs turns looks whether somebody asked to cancel one, where nobody tells. */
const LOOK_EVERY_MS = 200;

/** The name under which a run is asked to end and keep its work; under its own it is asked to roll back. */
export function stopRequest(runId: string): string {
  return `stop:${runId}`;
}

/**
 * Hears of cancels that other processes asked for. It looks only while a run is watched, and at once when it is told of one;
 * a look that the store refuses is made again.
 */
export class CancelWatch {
  readonly #requests: CancelRequests;
  readonly #changes: StateChanges;
  readonly #clock: Clock;
  readonly #watched = new Map<string, () => void>();
  #stop: (() => void) | undefined;
  #silence: (() => void) | undefined;

  constructor(requests: CancelRequests, changes: StateChanges, clock: Clock) {
    this.#requests = requests;
    this.#changes = changes;
    this.#clock = clock;
  }

  /** Calls `cancel` once a cancel of the run is asked for; the answer ends the watch. */
  watch(runId: string, cancel: () => void): () => void {
    this.#watched.set(runId, cancel);
    this.#stop ??= this.#nextLook();
    this.#silence ??= this.#changes.listen((change) => {
      if (change === undefined || ("cancelOf" in change && this.#watched.has(change.cancelOf)))
        void this.#hear();
    });
    return () => {
      this.#watched.delete(runId);
      if (this.#watched.size > 0) return;
      this.#stop?.();
      this.#silence?.();
      this.#stop = this.#silence = undefined;
    };
  }

  #nextLook(): () => void {
    return this.#clock.alarm(this.#changes.lookEveryMs(LOOK_EVERY_MS), this.#look);
  }

  readonly #look = (): void => {
    void this.#hear().finally(() => {
      this.#stop = this.#watched.size === 0 ? undefined : this.#nextLook();
    });
  };

  async #hear(): Promise<void> {
    try {
      for (const runId of await this.#requests.asked()) this.#watched.get(runId)?.();
    } catch {
      // asked again at the next look
    }
  }
}
