import { emptyUsage, untilAborted, type Clock, type TokenUsage } from "@basis/core";
import { isModelError, type AnyModelError } from "./model-error.ts";
import type { ModelEvent } from "./model.ts";

/** How often and how patiently a round is asked again. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly maxAttempts: number;
  /** The pause before the second attempt; it doubles with each further one, less a random part of up to a half. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** The longest `Retry-After` worth waiting for; beyond it the round fails and the error carries the pause. */
  readonly maxRetryAfterMs: number;
}

/** Four attempts: pauses of up to 0.5, 1 and 2 s, and a `Retry-After` of up to a minute. */
export const defaultRetries: RetryPolicy = Object.freeze({
  maxAttempts: 4,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 60_000,
});

/** What `withRetries` needs besides the work. */
export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** A number from 0 to below 1. */
  readonly random: () => number;
}

/** One attempt; `spent` is what earlier ones used, which its `finish` or its error adds to its own. */
export type Attempt = (spent: TokenUsage) => AsyncIterable<ModelEvent>;

/**
 * Runs attempts until one finishes. An attempt is repeated only if its error is worth repeating and it has
 * yielded nothing: what was shown is never taken back.
 */
export async function* withRetries(attempt: Attempt, options: RetryOptions): AsyncGenerator<ModelEvent> {
  let spent = emptyUsage;
  for (let number = 1; ; number += 1) {
    let shown = false;
    try {
      for await (const event of attempt(spent)) {
        shown = true;
        yield event;
      }
      return;
    } catch (error) {
      const delayMs = shown || !isModelError(error) ? undefined : pauseFor(error, number, options);
      if (delayMs === undefined) throw error;
      const failed = error as AnyModelError;
      spent = failed.usage ?? spent;
      yield { type: "retry", attempt: number + 1, delayMs, reason: failed.message };
      await pause(delayMs, options);
    }
  }
}

function pauseFor(error: AnyModelError, attempt: number, options: RetryOptions): number | undefined {
  const { policy, random } = options;
  if (!error.retryable || attempt >= policy.maxAttempts) return undefined;
  const { retryAfterMs: asked } = error.details as { retryAfterMs?: number };
  if (asked !== undefined) return asked <= policy.maxRetryAfterMs ? asked : undefined;
  const full = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (1 - random() / 2));
}

/** Waits, and keeps the process alive meanwhile, which a clock's alarm does not. */
async function pause(delayMs: number, { clock, signal }: RetryOptions): Promise<void> {
  const hold = setInterval(() => undefined, 60_000);
  let cancel = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = clock.alarm(delayMs, resolve);
  });
  try {
    await (signal === undefined ? passed : untilAborted(signal, () => passed));
  } finally {
    cancel();
    clearInterval(hold);
  }
}
