import { systemClock, type Clock } from "@basis/core";
import { ChildPolicyError } from "./child-policy-error.ts";
import type { WhenFull } from "./child-slots.ts";

/** The limits of every tree. Counts are whole numbers or `Infinity`. */
export interface DelegationLimitsOptions {
  /** Levels below the root. Default 2; 0 forbids delegating. */
  readonly maxDepth?: number | undefined;
  /** Children that run at once, over all runs. Default 8. */
  readonly maxConcurrent?: number | undefined;
  /** Children that one run's whole tree may ever start. Default 100. */
  readonly maxPerRun?: number | undefined;
  /** Tokens that one run's whole tree may use. Default `Infinity`. */
  readonly maxTokens?: number | undefined;
  /** How long after a run began its tree may still delegate. Default `Infinity`. */
  readonly maxWallClockMs?: number | undefined;
  /** Default `refuse`. */
  readonly whenFull?: WhenFull | undefined;
  readonly clock?: Clock | undefined;
}

/** The options with every default in place. */
export type LimitsSettings = {
  readonly [Name in keyof DelegationLimitsOptions]-?: NonNullable<DelegationLimitsOptions[Name]>;
};

/**
 * Fills in defaults.
 *
 * @throws ChildPolicyError `invalid_option`.
 */
export function limitsSettings(options: DelegationLimitsOptions): LimitsSettings {
  const { whenFull = "refuse", clock = systemClock } = options;
  if (whenFull !== "refuse" && whenFull !== "wait") throw invalid("whenFull", "is neither refuse nor wait");
  return {
    maxDepth: count("maxDepth", options.maxDepth ?? 2, 0),
    maxConcurrent: count("maxConcurrent", options.maxConcurrent ?? 8, 1),
    maxPerRun: count("maxPerRun", options.maxPerRun ?? 100, 0),
    maxTokens: count("maxTokens", options.maxTokens ?? Infinity, 0),
    maxWallClockMs: count("maxWallClockMs", options.maxWallClockMs ?? Infinity, 0),
    whenFull,
    clock,
  };
}

/**
 * A whole number of at least `least`, or `Infinity`.
 *
 * @throws ChildPolicyError `invalid_option`.
 */
export function count(option: string, value: number, least: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value >= least)) return value;
  throw invalid(option, `must be a whole number from ${least} on, or Infinity`);
}

function invalid(option: string, problem: string): ChildPolicyError<"invalid_option"> {
  return new ChildPolicyError("invalid_option", `the limit ${option} ${problem}`, {
    details: { option, problem },
  });
}
