import { onAbort, type Abortable } from "./abort-watch.ts";
import { systemClock, type Clock } from "./clock.ts";
import { WithSignal } from "./with-signal.ts";

/** A signal that follows others, and the way to let go of them. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners from the joined signals; call it when the work has ended. */
  release(): void;
}

/**
 * Joins signals into one that aborts with the first of them and with its reason.
 * Unlike `AbortSignal.any` it leaves nothing behind on a long-lived signal once released.
 */
export function joinSignals(...signals: readonly (Abortable | undefined)[]): JoinedSignal {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  const release = (): void => {
    for (const step of undo.splice(0)) step();
  };
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) {
      controller.abort(signal.reason);
      break;
    }
    const follow = (): void => {
      release();
      controller.abort(signal.reason);
    };
    undo.push(onAbort(signal, follow));
  }
  if (controller.signal.aborted) release();
  return { signal: controller.signal, release };
}

/** Why a deadline's signal aborted. */
export class DeadlineError extends Error {
  readonly timeoutMs: number;

  constructor(timeoutMs: number) {
    super(`did not answer within ${timeoutMs}ms`);
    this.name = "DeadlineError";
    this.timeoutMs = timeoutMs;
  }
}

/** What `withDeadline` needs to know. */
export interface DeadlineOptions {
  readonly timeoutMs: number;
  readonly signal?: Abortable | undefined;
  readonly clock?: Clock | undefined;
}

/** What work under a deadline may look at. Its signal is made when it is first read: most work has answered before. */
export interface DeadlineContext {
  readonly signal: AbortSignal;
}

/**
 * Runs `work` under a deadline: it gets a signal that aborts at the deadline or with the caller's own.
 * Rejects with `DeadlineError` or the caller's reason at once, whether or not the work listens;
 * what a late work still answers is ignored.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  work: (context: DeadlineContext) => T | Promise<T>,
): Promise<T> {
  return underDeadline(options, work);
}

/** `withDeadline` for work whose answer may be there at once: then it is answered, or what it threw is thrown, at once. */
export function underDeadline<T>(
  { timeoutMs, signal, clock = systemClock }: DeadlineOptions,
  work: (context: DeadlineContext) => T | Promise<T>,
): T | Promise<T> {
  signal?.throwIfAborted();
  const own = new LateSignal();
  const answer = work(new WithSignal(own));
  if (isThenable(answer)) return inTime(answer, own, { timeoutMs, signal, clock });
  if (signal?.aborted) own.abort(signal.reason);
  signal?.throwIfAborted();
  return answer;
}

/** A signal that is made when somebody first looks at it. */
class LateSignal {
  #controller: AbortController | undefined;
  #ended: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended.reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#ended ??= { reason };
    this.#controller?.abort(reason);
  }
}

async function inTime<T>(
  answer: Promise<T>,
  own: LateSignal,
  { timeoutMs, signal, clock }: DeadlineOptions & { readonly clock: Clock },
): Promise<T> {
  const undo: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      const end = (reason: unknown): void => {
        reject(reason);
        own.abort(reason);
      };
      answer.then(resolve, reject);
      if (signal?.aborted) return end(signal.reason);
      if (signal !== undefined) undo.push(onAbort(signal, () => end(signal.reason)));
      undo.push(clock.alarm(timeoutMs, () => end(new DeadlineError(timeoutMs))));
    });
  } finally {
    for (const step of undo) step();
  }
}

function isThenable<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof (answer as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Runs `work` until it answers or the signal aborts, whichever comes first; rejects with the signal's reason. */
export function untilAborted<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const settle = onAbort(signal, () => reject(signal.reason));
    const answer = (value: T): void => {
      settle();
      resolve(value);
    };
    const fail = (error: unknown): void => {
      settle();
      reject(error);
    };
    try {
      Promise.resolve(work(signal)).then(answer, fail);
    } catch (error) {
      fail(error);
    }
  });
}
