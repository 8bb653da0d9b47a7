import { addUsage, emptyUsage, type Clock, type TokenUsage } from "@basis/core";
import { outputError } from "./output-error.ts";
import type { OutputBound } from "./output-result.ts";
import type { TurnBounds } from "./turn-runner.ts";

/** Refuses bounds that no run can keep. @throws OutputError `impossible_bounds`. */
export function checkBounds(bounds: TurnBounds, attempts: number, attemptsUsed = 0): void {
  const refuse = (bound: string, value: number, wanted: string): never => {
    const shown = typeof value === "number" ? `${value}` : `a ${typeof value}`;
    throw outputError("impossible_bounds", `${bound} must be ${wanted}, is ${shown}`, {
      details: { bound, value: Number.isFinite(value) ? value : shown },
    });
  };
  const atLeast = (bound: string, value: number | undefined, least: number): void => {
    if (value === undefined || (Number.isFinite(value) && value >= least)) return;
    refuse(bound, value, `at least ${least}`);
  };
  const whole = (bound: string, value: number, least: number): void => {
    if (!Number.isInteger(value)) refuse(bound, value, `a whole number of at least ${least}`);
    atLeast(bound, value, least);
  };
  whole("attempts", attempts, 1);
  whole("attemptsUsed", attemptsUsed, 0);
  atLeast("attempts beyond attemptsUsed", attempts - attemptsUsed, 1);
  atLeast("deadlineMs", bounds.deadlineMs, 1);
  atLeast("rounds", bounds.rounds, 1);
  atLeast("tokenBudget", bounds.tokenBudget, 1);
  atLeast("toolBudget", bounds.toolBudget, 0);
  atLeast("closing.rounds", bounds.closing?.rounds, 0);
  atLeast("closing.tokens", bounds.closing?.tokens, 0);
  atLeast("closing.ms", bounds.closing?.ms, 0);
}

interface Slice {
  readonly by: OutputBound;
  readonly limit: number;
  /** What is kept of the limit for closing. */
  readonly reserved: number;
  spent(): number;
}

/** What one run has spent, and how much of its bounds is left. */
export class TurnBudget {
  rounds = 0;
  toolCalls = 0;
  usage: TokenUsage = emptyUsage;
  /** Of the rounds since the last candidate. */
  recent: TokenUsage = emptyUsage;
  /** One for each bound that was given. */
  readonly #slices: Slice[] = [];
  readonly #toolBudget: number = Infinity;

  constructor(bounds: TurnBounds, clock: Clock) {
    const { deadlineMs, tokenBudget, toolBudget, rounds, closing: kept = {} } = bounds;
    if (deadlineMs !== undefined) {
      const started = clock.monotonicMs();
      const reserved = kept.ms ?? Math.floor(deadlineMs / 10);
      const spent = (): number => clock.monotonicMs() - started;
      this.#slices.push({ by: "deadline", limit: deadlineMs, reserved, spent });
    }
    if (tokenBudget !== undefined) {
      const reserved = kept.tokens ?? Math.ceil(tokenBudget / 10);
      const spent = (): number => this.usage.inputTokens + this.usage.outputTokens;
      this.#slices.push({ by: "token_budget", limit: tokenBudget, reserved, spent });
    }
    if (rounds !== undefined) {
      const reserved = Math.min(kept.rounds ?? 1, rounds - 1);
      this.#slices.push({ by: "rounds", limit: rounds, reserved, spent: () => this.rounds });
    }
    if (toolBudget !== undefined) {
      this.#toolBudget = toolBudget;
      const limit = toolBudget + 1;
      this.#slices.push({ by: "tool_budget", limit, reserved: 1, spent: () => this.toolCalls });
    }
  }

  /** Counts a reply and its usage. */
  countReply(usage: Partial<TokenUsage> | undefined): void {
    this.rounds += 1;
    if (!usage) return;
    this.usage = addUsage(this.usage, usage);
    this.recent = addUsage(this.recent, usage);
  }

  /** The usage since it was last taken. */
  takeRecent(): TokenUsage {
    const { recent } = this;
    this.recent = emptyUsage;
    return recent;
  }

  /** Takes a number of ordinary calls from the budget; answers how many may run. */
  takeToolCalls(wanted: number): number {
    const taken = Math.min(wanted, Math.max(0, this.#toolBudget - this.toolCalls));
    this.toolCalls += taken;
    return taken;
  }

  /** The bound that is used up; while working, the reserved slices are no longer there to work with. */
  exceeded(working: boolean): OutputBound | undefined {
    if (this.#slices.length === 0) return undefined;
    return this.#slices.find((slice) => slice.spent() >= slice.limit - (working ? slice.reserved : 0))?.by;
  }

  /** True while a closing round fits into every bound, out of a slice that was kept for it. */
  canClose(by: OutputBound): boolean {
    if (this.exceeded(false)) return false;
    return (this.#slices.find((slice) => slice.by === by)?.reserved ?? 0) > 0;
  }
}
