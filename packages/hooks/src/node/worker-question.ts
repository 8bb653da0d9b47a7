import { onAbort, type Clock } from "@basis/core";
import type { HookAnswer } from "../hook-decision.ts";
import { failure } from "./hook-failure.ts";
import { afterPending } from "../process/command.ts";

/** What a worker is asked, and by when it must have answered. */
export interface WorkerAsk {
  /** The request as one line of JSON. */
  readonly text: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One question to a worker, until it is settled: answered, failed, or its turn aborted. */
export class WorkerQuestion {
  readonly text: string;
  readonly timeoutMs: number;
  readonly answer: Promise<HookAnswer>;
  /** How often it was sent. */
  timesSent = 0;
  readonly #clock: Clock;
  readonly #stopWatching: () => void;
  #resolve: (answer: HookAnswer) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #isSettled = false;
  #deadline: { readonly atMs: number; readonly cancel: () => void } | undefined;

  constructor({ text, timeoutMs, signal }: WorkerAsk, clock: Clock) {
    this.text = text;
    this.timeoutMs = timeoutMs;
    this.#clock = clock;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#stopWatching = onAbort(signal, () => this.fail(cutOff()));
  }

  /** True once nobody waits for it; the worker may still owe the answer. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Milliseconds that are left, at least 1. */
  get msLeft(): number {
    const atMs = this.#deadline?.atMs ?? 0;
    return Math.max(1, Math.floor(atMs - this.#clock.monotonicMs()));
  }

  /** Its answer is read too late to count: nothing tells when it was written. */
  get isLate(): boolean {
    return this.#deadline !== undefined && this.#clock.monotonicMs() > this.#deadline.atMs;
  }

  /** A timer may ring a little before a finer clock agrees. */
  get isOverdue(): boolean {
    return this.#deadline !== undefined && this.#deadline.atMs - this.#clock.monotonicMs() <= 1;
  }

  /** Gives it its whole time, from now. */
  startDeadline(onExpired: () => void): void {
    this.stopDeadline();
    const ring = (): void =>
      afterPending(() => {
        if (this.#deadline === deadline) onExpired();
      });
    const atMs = this.#clock.monotonicMs() + this.timeoutMs;
    const deadline = { atMs, cancel: this.#clock.alarm(this.timeoutMs, ring) };
    this.#deadline = deadline;
  }

  stopDeadline(): void {
    this.#deadline?.cancel();
    this.#deadline = undefined;
  }

  resolve(answer: HookAnswer): void {
    if (this.#settle()) this.#resolve(answer);
  }

  fail(error: Error): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#stopWatching();
    return true;
  }
}

/** The turn was aborted, or the chain closed. */
export function cutOff(): Error {
  return failure("aborted", "was cut off because the turn was aborted");
}
