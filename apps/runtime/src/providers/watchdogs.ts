import type { Clock } from "@basis/core";
import { ModelError, type Watchdog } from "./model-error.ts";

/** How long a round may stay silent, in milliseconds. */
export interface WatchdogLimits {
  /** Until the connection stands and the request is sent. */
  readonly connectMs: number;
  /** From then until the first event of the answer; keep-alives don't count. */
  readonly firstEventMs: number;
  /** Between two events. */
  readonly idleMs: number;
}

/** Connect 15 s, first event 90 s, idle 120 s. */
export const defaultWatchdogs: WatchdogLimits = Object.freeze({
  connectMs: 15_000,
  firstEventMs: 90_000,
  idleMs: 120_000,
});

const SILENCE: Readonly<Record<Watchdog, string>> = Object.freeze({
  connect: "no connection",
  first_event: "no first event",
  idle: "no further event",
});

/** What a watch needs to know. */
export interface WatchOptions {
  readonly clock: Clock;
  readonly limits: WatchdogLimits;
  /** Called once, when a limit passes. */
  readonly onTimeout: (error: ModelError<"timeout">) => void;
}

/** Follows one attempt from connection to last event. One alarm serves it: an event only moves the deadline. */
export class AttemptWatch {
  readonly #options: WatchOptions;
  #stage: Watchdog;
  #deadline = 0;
  #cancel: (() => void) | undefined;
  #paused = false;

  /** Starts with the first event's limit when the connection can't be observed. */
  constructor(options: WatchOptions, observesConnection: boolean) {
    this.#options = options;
    this.#stage = observesConnection ? "connect" : "first_event";
    this.#extend();
  }

  /** The request has been sent. */
  connected(): void {
    if (this.#stage !== "connect") return;
    this.#stage = "first_event";
    this.#rearm();
  }

  /** An event of the answer has come. */
  event(): void {
    if (this.#stage === "idle") {
      this.#extend();
      return;
    }
    this.#stage = "idle";
    this.#rearm();
  }

  /** The reader of the events is busy: silence is not the provider's. */
  pause(): void {
    this.#paused = true;
  }

  /** The reader waits again. */
  resume(): void {
    this.#paused = false;
    this.#extend();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  get #limitMs(): number {
    const { connectMs, firstEventMs, idleMs } = this.#options.limits;
    if (this.#stage === "connect") return connectMs;
    return this.#stage === "first_event" ? firstEventMs : idleMs;
  }

  #rearm(): void {
    this.stop();
    this.#extend();
  }

  #extend(): void {
    this.#deadline = this.#options.clock.monotonicMs() + this.#limitMs;
    if (this.#cancel === undefined) this.#arm(this.#limitMs);
  }

  #arm(delayMs: number): void {
    this.#cancel = this.#options.clock.alarm(delayMs, () => {
      this.#cancel = undefined;
      if (this.#paused) return;
      const leftMs = this.#deadline - this.#options.clock.monotonicMs();
      if (leftMs > 0) this.#arm(leftMs);
      else this.#options.onTimeout(timeoutError(this.#stage, this.#limitMs));
    });
  }
}

function timeoutError(watchdog: Watchdog, timeoutMs: number): ModelError<"timeout"> {
  return new ModelError("timeout", `the provider gave ${SILENCE[watchdog]} within ${timeoutMs} ms`, {
    details: { watchdog, timeoutMs },
  });
}
