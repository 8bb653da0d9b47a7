import { systemClock, type Clock, type StoppedBy, type TokenUsage } from "@basis/core";

/** Limits as the user sets them; whatever is absent is not limited, but for `maxRounds` (default 200). */
export interface BoundsOptions {
  readonly deadlineMs?: number | undefined;
  readonly toolBudget?: number | undefined;
  readonly tokenBudget?: number | undefined;
  readonly maxRounds?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Tokens spent by a whole tree of runs. */
interface TokenCounter {
  spent: number;
}

/**
 * The bounds of one run. A child shares the deadline and the token counter; its tool calls are counted anew under
 * the same limit.
 */
export class RunBounds {
  readonly #options: BoundsOptions;
  readonly #clock: Clock;
  readonly #deadlineAt: number | undefined;
  readonly #tokens: TokenCounter;
  #toolCalls = 0;
  #rounds = 0;

  constructor(
    options: BoundsOptions = {},
    shared?: { deadlineAt: number | undefined; tokens: TokenCounter },
  ) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#tokens = shared?.tokens ?? { spent: 0 };
    const own = options.deadlineMs === undefined ? undefined : this.#clock.monotonicMs() + options.deadlineMs;
    this.#deadlineAt = shared ? shared.deadlineAt : own;
  }

  /** The bound that is reached, if any. */
  exceeded(): StoppedBy | undefined {
    const { tokenBudget, maxRounds = 200 } = this.#options;
    if (this.remainingMs() === 0) return "deadline";
    if (tokenBudget !== undefined && this.#tokens.spent >= tokenBudget) return "token_budget";
    if (this.#rounds >= maxRounds) return "rounds";
    return undefined;
  }

  /** Milliseconds to the deadline; undefined without one. */
  remainingMs(): number | undefined {
    return this.#deadlineAt === undefined
      ? undefined
      : Math.max(0, this.#deadlineAt - this.#clock.monotonicMs());
  }

  /** Tokens of the budget that nobody has spent; undefined without a budget. */
  remainingTokens(): number | undefined {
    const { tokenBudget } = this.#options;
    return tokenBudget === undefined ? undefined : Math.max(0, tokenBudget - this.#tokens.spent);
  }

  /** Counts a model round and what it used; answers its number. */
  countRound(usage: TokenUsage): number {
    this.#rounds += 1;
    this.#tokens.spent += usage.inputTokens + usage.outputTokens;
    return this.#rounds;
  }

  /** Takes one tool call from the budget; false when there is none left. */
  takeCall(): boolean {
    const { toolBudget } = this.#options;
    if (toolBudget !== undefined && this.#toolCalls >= toolBudget) return false;
    this.#toolCalls += 1;
    return true;
  }

  /** The bounds of a delegated child. */
  forChild(): RunBounds {
    return new RunBounds(this.#options, { deadlineAt: this.#deadlineAt, tokens: this.#tokens });
  }
}
