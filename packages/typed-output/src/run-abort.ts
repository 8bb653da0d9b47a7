import { DeadlineError, onAbort, type Clock } from "@basis/core";

/** Whether something was aborted, and the signal that says so. */
export interface AbortState {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

/** The state of a signal that is there already. */
export function stateOf(signal: AbortSignal): AbortState {
  return {
    get aborted() {
      return signal.aborted;
    },
    signal,
  };
}

/** What can abort a run from outside. */
export interface AbortSources {
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number | undefined;
  readonly clock: Clock;
  readonly onAbort: () => void;
}

/**
 * Whether a run was aborted, by its caller or at its deadline. The signal that says so is made for the first who asks
 * for it: most hosts and validators never do, and it costs as much as the check of a small answer.
 */
export class RunAbort implements AbortState {
  aborted = false;
  reason: unknown;
  readonly #onAbort: () => void;
  #controller: AbortController | undefined;
  #stopWatching: (() => void) | undefined;
  #stopAlarm: (() => void) | undefined;

  constructor({ signal, deadlineMs, clock, onAbort: react }: AbortSources) {
    this.#onAbort = react;
    if (signal?.aborted) this.#abort(signal.reason);
    else if (signal) this.#stopWatching = onAbort(signal, () => this.#abort(signal.reason));
    if (deadlineMs !== undefined)
      this.#stopAlarm = clock.alarm(deadlineMs, () => this.#abort(new DeadlineError(deadlineMs)));
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** True when the deadline came, not a cancel. */
  get late(): boolean {
    return this.reason instanceof DeadlineError;
  }

  /** Lets go of the caller's signal and of the clock. */
  release(): void {
    this.#stopAlarm?.();
    this.#stopWatching?.();
  }

  #abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    this.#onAbort();
  }
}
