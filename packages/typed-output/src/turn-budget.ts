import { addUsage, emptyUsage, type Clock, type TokenUsage } from "@basis/core";
import { outputError } from "./output-error.ts";
import type { OutputBound } from "./output-result.ts";
import type { TurnBounds } from "./turn-runner.ts";

/** Refuses bounds that no run can keep. @throws OutputError `impossible_bounds`. */
export function checkBounds(bounds: TurnBounds, attempts: number, attemptsUsed = 0): void {
  const atLeast = (bound: string, value: number | undefined, least: number): void => {
    if (value === undefined || (Number.isFinite(value) && value >= least)) return;
    throw outputError("impossible_bounds", `${bound} must be at least ${least}, is ${value}`, {
      details: { bound, value: Number.isFinite(value) ? value : String(value) },
    });
  };
  atLeast("attempts", Number.isInteger(attempts) ? attempts : NaN, 1);
  const left = attempts - attemptsUsed;
  atLeast("attemptsUsed", Number.isInteger(attemptsUsed) ? attemptsUsed : NaN, 0);
  atLeast("attempts beyond attemptsUsed", left, 1);
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
  readonly #slices: readonly Slice[];

  constructor(bounds: TurnBounds, clock: Clock) {
    const started = clock.monotonicMs();
    const {
      deadlineMs = Infinity,
      tokenBudget = Infinity,
      toolBudget = Infinity,
      rounds = Infinity,
    } = bounds;
    const kept = bounds.closing ?? {};
    this.#slices = [
      {
        by: "deadline",
        limit: deadlineMs,
        reserved: kept.ms ?? (deadlineMs === Infinity ? 0 : Math.floor(deadlineMs / 10)),
        spent: () => clock.monotonicMs() - started,
      },
      {
        by: "token_budget",
        limit: tokenBudget,
        reserved: kept.tokens ?? (tokenBudget === Infinity ? 0 : Math.ceil(tokenBudget / 10)),
        spent: () => this.usage.inputTokens + this.usage.outputTokens,
      },
      {
        by: "rounds",
        limit: rounds,
        reserved: Math.min(kept.rounds ?? 1, rounds - 1),
        spent: () => this.rounds,
      },
      { by: "tool_budget", limit: toolBudget + 1, reserved: 1, spent: () => this.toolCalls },
    ];
  }

  /** Counts the usage of a reply. */
  add(usage: Partial<TokenUsage> | undefined): void {
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

  /** Ordinary calls that may still run. */
  get toolCallsLeft(): number {
    const tools = this.#slices.find(({ by }) => by === "tool_budget");
    return Math.max(0, (tools?.limit ?? Infinity) - 1 - this.toolCalls);
  }

  /** The bound that is used up; while working, the reserved slices are no longer there to work with. */
  exceeded(working: boolean): OutputBound | undefined {
    return this.#slices.find((slice) => slice.spent() >= slice.limit - (working ? slice.reserved : 0))?.by;
  }

  /** True while a closing round fits into every bound, out of a slice that was kept for it. */
  canClose(by: OutputBound): boolean {
    if (this.exceeded(false)) return false;
    return (this.#slices.find((slice) => slice.by === by)?.reserved ?? 0) > 0;
  }
}
