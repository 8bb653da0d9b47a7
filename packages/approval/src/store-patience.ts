import { underDeadline, type Abortable, type Clock } from "@basis/core";

/** An answer that is there at once or later. */
export type MaybePromise<T> = T | Promise<T>;

/** How long a store is waited for. */
export interface StorePatience {
  readonly clock: Clock;
  /** Milliseconds a store that answers with a promise may take. */
  readonly storeTimeoutMs: number;
  readonly signal?: Abortable | undefined;
}

/**
 * Waits for a store no longer than it may take; an answer that is there at once costs no timer.
 * Throws the signal's reason before anything is asked.
 */
export function settleSoon<T>(read: () => MaybePromise<T>, options: StorePatience): MaybePromise<T> {
  const { clock, storeTimeoutMs, signal } = options;
  signal?.throwIfAborted();
  const answer = read();
  if (!isThenable(answer)) return answer;
  return underDeadline({ timeoutMs: storeTimeoutMs, clock, signal }, () => answer);
}

/** Goes on with an answer, at once where it is there. */
export function whenThere<T, Result>(
  answer: MaybePromise<T>,
  goOn: (answer: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isThenable(answer) ? answer.then(goOn) : goOn(answer);
}

/** Does work and, should it fail at once or later, what is to be done then. */
export function caught<T>(
  work: () => MaybePromise<T>,
  failed: (cause: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const answer = work();
    return isThenable(answer) ? answer.catch(failed) : answer;
  } catch (cause) {
    return failed(cause);
  }
}

/** True for what must be awaited. */
export function isThenable<T>(value: MaybePromise<T>): value is Promise<T> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

/** How reports call a store. */
export function storeName(store: { readonly name?: string | undefined }): string {
  return store.name ?? "the approval store";
}
