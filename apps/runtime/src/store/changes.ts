import { setTimeout as pause } from "node:timers/promises";
import { onAbort } from "@basis/core";

/** What may have changed: the log of a session, or the cancels that were asked for. Undefined: anything. */
export type Change = { readonly session: string } | { readonly cancelOf: string } | undefined;

/** Tells what other processes change in a state. A state that nobody tells of is looked at now and then. */
export interface StateChanges {
  /** Calls `act` when something may have changed; the answer ends that. Where nobody tells, it is never called. */
  listen(act: (change: Change) => void): () => void;
  /** How long to wait between two looks at what is told of, given how long it would be otherwise. */
  lookEveryMs(otherwise: number): number;
}

/** Of a state that other processes reach by its files alone: nobody tells. */
export const untoldChanges: StateChanges = { listen: () => () => undefined, lookEveryMs: (ms) => ms };

/** Waits for changes of one session, for whoever looks at it again and again. */
export class SessionChanges {
  readonly #everyMs: number;
  readonly #silence: () => void;
  #isMissed = false;
  #wake: () => void = () => undefined;

  /** From here on no change is missed. `everyMs`: how long a look is put off where nobody tells. */
  constructor(changes: StateChanges, session: string, everyMs: number) {
    this.#everyMs = changes.lookEveryMs(everyMs);
    this.#silence = changes.listen((change) => {
      if (change !== undefined && !("session" in change && change.session === session)) return;
      this.#isMissed = true;
      this.#wake();
    });
  }

  /** Until something has changed since the last call, or it is time for a look. Rejects with the signal's reason. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isMissed) {
      const waiting = new AbortController();
      const stop = onAbort(signal, () => waiting.abort());
      this.#wake = () => waiting.abort();
      await pause(this.#everyMs, undefined, { signal: waiting.signal }).catch(() => undefined);
      stop();
    }
    this.#isMissed = false;
    signal.throwIfAborted();
  }

  end(): void {
    this.#silence();
  }
}
