import type { Clock } from "@basis/core";
import type { StateChanges } from "../../store/changes.ts";
import type { CancelRequests } from "../../store/host-ledger.ts";

/** How often a process that runs turns looks whether somebody asked to cancel one, where nobody tells. */
const LOOK_EVERY_MS = 200;

/** How a run is asked to end: rolled back, or with its work kept. */
export type EndingAsked = "cancel" | "stop";

const STOP = "stop:";

/** The name under which a run is asked to end and keep its work; under its own it is asked to roll back. */
export function stopRequest(runId: string): string {
  return `${STOP}${runId}`;
}

function runOf(request: string): string {
  return request.startsWith(STOP) ? request.slice(STOP.length) : request;
}

/**
 * Hears that other processes ask for the end of runs. It looks only while a run is watched, and at once when it is told of one;
 * a look that the store refuses is made again. What it looks by is kept a while after the last run: the next may begin at once.
 */
export class CancelWatch {
  readonly #requests: CancelRequests;
  readonly #changes: StateChanges;
  readonly #clock: Clock;
  readonly #watched = new Map<string, (asked: EndingAsked) => void>();
  #isLooking = false;
  #silence: (() => void) | undefined;

  constructor(requests: CancelRequests, changes: StateChanges, clock: Clock) {
    this.#requests = requests;
    this.#changes = changes;
    this.#clock = clock;
  }

  /** Calls `end` once the run is asked to end; the answer ends the watch. */
  watch(runId: string, end: (asked: EndingAsked) => void): () => void {
    this.#watched.set(runId, end);
    if (!this.#isLooking) this.#lookOn();
    return () => void this.#watched.delete(runId);
  }

  #lookOn(): void {
    this.#isLooking = true;
    this.#silence ??= this.#changes.listen((change) => {
      if (change === undefined || ("cancelOf" in change && this.#watched.has(runOf(change.cancelOf))))
        void this.#hear();
    });
    this.#clock.alarm(this.#changes.lookEveryMs(LOOK_EVERY_MS), this.#look);
  }

  readonly #look = (): void => {
    void this.#hear().finally(() => {
      if (this.#watched.size > 0) return this.#lookOn();
      this.#silence?.();
      this.#silence = undefined;
      this.#isLooking = false;
    });
  };

  async #hear(): Promise<void> {
    if (this.#watched.size === 0) return;
    try {
      for (const request of await this.#requests.asked())
        this.#watched.get(runOf(request))?.(request.startsWith(STOP) ? "stop" : "cancel");
    } catch {
      // asked again at the next look
    }
  }
}
