import type { Clock } from "@basis/core";
import type { CancelRequests } from "../store/host-ledger.ts";

/** How often a process that runs turns looks whether somebody asked to cancel one. */
const LOOK_EVERY_MS = 200;

/**
 * Hears of cancels that other processes asked for. It looks only while a run is watched; a look that the store refuses
 * is made again.
 */
export class CancelWatch {
  readonly #requests: CancelRequests;
  readonly #clock: Clock;
  readonly #watched = new Map<string, () => void>();
  #stop: (() => void) | undefined;

  constructor(requests: CancelRequests, clock: Clock) {
    this.#requests = requests;
    this.#clock = clock;
  }

  /** Calls `cancel` once a cancel of the run is asked for; the answer ends the watch. */
  watch(runId: string, cancel: () => void): () => void {
    this.#watched.set(runId, cancel);
    this.#stop ??= this.#clock.alarm(LOOK_EVERY_MS, this.#look);
    return () => {
      this.#watched.delete(runId);
      if (this.#watched.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  readonly #look = (): void => {
    void this.#hear().finally(() => {
      this.#stop = this.#watched.size === 0 ? undefined : this.#clock.alarm(LOOK_EVERY_MS, this.#look);
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
