import type { Clock, StoppedBy, TokenUsage } from "@basis/core";
import type { DelegationLimits, TokenPool, TokenReservation } from "@basis/child-policy";
import type { Later } from "../../events/event-log.ts";

/** Limits as the user sets them; whatever is absent is not limited, but for `maxRounds` (default 200). */
export interface BoundsOptions {
  readonly deadlineMs?: number | undefined;
  readonly toolBudget?: number | undefined;
  readonly tokenBudget?: number | undefined;
  readonly maxRounds?: number | undefined;
}

/** What a tree of runs has used; kept with the session of its root, so that going on does not begin anew. */
export type TreeAccount = {
  readonly children: number;
  readonly tokens: number;
};

/** What all runs of one tree share. */
interface Tree {
  readonly deadlineAt: number | undefined;
  readonly tokens: TokenPool;
  /** True where tokens count over going on: the host grants a tree no more than so many. */
  readonly capsTokens: boolean;
  children: number;
  keep: () => Later<unknown>;
}

/** What opening the bounds of a tree needs. */
export interface TreeOpening {
  readonly runId: string;
  readonly limits: DelegationLimits;
  /** Most tokens that the host grants any tree. */
  readonly maxTokens: number;
  readonly clock: Clock;
  readonly behind?: TreeAccount | undefined;
}

/**
 * The bounds of one run. A child shares the deadline and the token pool; its rounds and tool calls are counted anew
 * under the same limits.
 */
export class RunBounds {
  readonly #options: BoundsOptions;
  readonly #clock: Clock;
  readonly #tree: Tree;
  #toolCalls = 0;
  #lackedCall = false;
  #rounds = 0;

  private constructor(options: BoundsOptions, clock: Clock, tree: Tree) {
    this.#options = options;
    this.#clock = clock;
    this.#tree = tree;
  }

  /** Opens the bounds of a tree at its root, and its account with the delegation limits; `limits.closeRun` ends it. */
  static open(options: BoundsOptions, opening: TreeOpening): RunBounds {
    const { runId, limits, maxTokens, clock, behind } = opening;
    const { deadlineMs, tokenBudget = Infinity } = options;
    const { children = 0, tokens = 0 } = behind ?? {};
    const limit = Math.min(tokenBudget === Infinity ? Infinity : tokenBudget + tokens, maxTokens);
    limits.openRun(runId, { started: children, tokensUsed: tokens, maxTokens: limit });
    return new RunBounds(options, clock, {
      deadlineAt: deadlineMs === undefined ? undefined : clock.monotonicMs() + deadlineMs,
      tokens: limits.tokens(runId),
      capsTokens: maxTokens !== Infinity,
      children,
      keep: () => undefined,
    });
  }

  /** The bound that is reached, if any. */
  exceeded(): StoppedBy | undefined {
    if (this.remainingMs() === 0) return "deadline";
    if (this.#tree.tokens.remaining <= 0) return "token_budget";
    if (this.#lackedCall) return "tool_budget";
    if (this.#rounds >= (this.#options.maxRounds ?? 200)) return "rounds";
    return undefined;
  }

  /** The bound that most of is used up, for an end that came out of a slice that was kept for closing. */
  closest(): StoppedBy | undefined {
    const { deadlineMs, maxRounds, toolBudget } = this.#options;
    const { tokens } = this.#tree;
    const shares: readonly (readonly [StoppedBy, number])[] = [
      ["deadline", deadlineMs === undefined ? 0 : 1 - this.remainingMs()! / deadlineMs],
      ["token_budget", tokens.used / tokens.limit],
      ["tool_budget", toolBudget === undefined ? 0 : this.#toolCalls / toolBudget],
      ["rounds", maxRounds === undefined ? 0 : this.#rounds / maxRounds],
    ];
    return shares.toSorted(([, left], [, right]) => right - left).find(([, share]) => share > 0)?.[0];
  }

  /** Milliseconds to the deadline; undefined without one. */
  remainingMs(): number | undefined {
    const { deadlineAt } = this.#tree;
    return deadlineAt === undefined ? undefined : Math.max(0, deadlineAt - this.#clock.monotonicMs());
  }

  /**
   * Takes a model round and its part of the tree's tokens. @throws ChildPolicyError `token_pool` when others took the last.
   */
  beginRound(): { readonly number: number; end(usage: TokenUsage | undefined): void } {
    const reservation: TokenReservation = this.#tree.tokens.reserve(1);
    this.#rounds += 1;
    return {
      number: this.#rounds,
      end: (usage) =>
        usage === undefined
          ? reservation.refund()
          : reservation.settle(usage.inputTokens + usage.outputTokens),
    };
  }

  /** Takes one tool call from the budget; false when there is none left, which ends the run after its round. */
  takeCall(): boolean {
    const { toolBudget = Infinity } = this.#options;
    this.#lackedCall ||= this.#toolCalls >= toolBudget;
    if (this.#toolCalls >= toolBudget) return false;
    this.#toolCalls += 1;
    return true;
  }

  /** Tells how the account of the tree is kept durably; said by the run at its root. */
  keepBy(keep: () => Later<unknown>): void {
    this.#tree.keep = keep;
  }

  /** Notes that a child starts, once in all its runs. Once this resolves, it counts even if this process dies. */
  async countChild(): Promise<void> {
    this.#tree.children += 1;
    await this.#tree.keep();
  }

  /** Keeps the tokens that were used so far, where they count over going on. */
  keepTokens(): Later<unknown> {
    return this.#tree.capsTokens ? this.#tree.keep() : undefined;
  }

  /** What the whole tree has used so far. */
  get account(): TreeAccount {
    return { children: this.#tree.children, tokens: this.#tree.tokens.used };
  }

  /** The bounds of a delegated child. */
  forChild(): RunBounds {
    return new RunBounds(this.#options, this.#clock, this.#tree);
  }
}
