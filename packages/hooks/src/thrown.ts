import { isBasisError } from "@basis/core";
import { broken, type Verdict } from "./hook-decision.ts";
import type { FailureCode, HookError } from "./hook-error.ts";

/**
 * What an error says about a participant: in its own words when it is a `HookError`, else only that there was one.
 * Whatever was thrown, also what cannot be looked at, gets a verdict.
 */
export function verdictOfThrown(error: unknown): Verdict {
  try {
    if (isFailure(error)) return broken(error.code, error.message, error.details.said || error.message);
    if (error instanceof Error) return broken("threw", "threw an error", `threw an error: ${error.message}`);
    return broken("threw", "threw something that is not an error", `threw ${describeThrown(error)}`);
  } catch {
    return broken("threw", "threw something that cannot be read");
  }
}

function isFailure(error: unknown): error is HookError<FailureCode> {
  if (!isBasisError(error, "HookError") || typeof error.message !== "string") return false;
  return typeof error.details["said"] === "string";
}

/** Anything that was thrown, as a text. */
export function describeThrown(value: unknown): string {
  try {
    return value instanceof Error ? String(value) : `${typeof value}: ${String(value)}`;
  } catch {
    return typeof value;
  }
}

/** Calls an observer that must not decide anything: what it throws, at once or later, goes to `onError`. */
export function observe(act: () => unknown, onError: (error: unknown) => void): void {
  try {
    const answer = act();
    if (isThenable(answer)) void Promise.resolve(answer).then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}

/** True for what must be awaited. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
