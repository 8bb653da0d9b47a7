import type { ToolCall } from "@basis/core";
import { AttemptLog, type CandidateOrigin, type SetAside } from "./attempt-log.ts";
import { checkCandidate, type CandidateCheck, type CandidateText } from "./check-candidate.ts";
import type { GateOptions } from "./gate-options.ts";
import type { Normalisation } from "./output-result.ts";
import type { SettleContext } from "./terminal-gate.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** A candidate with what became of it, not yet in the log. */
export interface JudgedCandidate<T> {
  readonly check: CandidateCheck<T> | SetAside;
  readonly origin: CandidateOrigin;
}

/** Facts of a terminal call that its arguments don't say. */
export interface CallFacts {
  /** The model wrote the tool's name in another letter case. */
  readonly repaired: boolean;
  /** The provider's output limit ended the reply in this call. */
  readonly cut: boolean;
}

/** Judges the candidates of one run and keeps their account. */
export class CandidateJudge<T> {
  readonly log: AttemptLog;
  readonly #options: GateOptions<T>;
  readonly #budget: TurnBudget;

  constructor(options: GateOptions<T>, budget: TurnBudget) {
    const { reservation, attempts, attemptsUsed: used, redact, clock, onAttempt } = options;
    const prefix = reservation.spec.wrapped ? "/value" : "";
    this.#options = options;
    this.#budget = budget;
    this.log = new AttemptLog({ attempts, used, prefix, redact, clock, budget, onAttempt });
  }

  /** Judges a terminal call by what its last hook left. */
  async judgeCall(call: ToolCall, context: SettleContext, facts: CallFacts): Promise<JudgedCandidate<T>> {
    const by = context.denied?.by ?? context.rewrite?.by;
    const notes: Normalisation[] = facts.repaired ? [{ kind: "tool_name_case", pointer: "" }] : [];
    const origin = { ...this.#origin(notes), toolCallId: call.toolCallId, ...(by !== undefined && { by }) };
    if (context.denied) {
      const { message } = context.denied;
      return { check: { verdict: "denied", message, candidate: call.input }, origin };
    }
    const doomed = this.#options.watch?.doomed(call.toolCallId, this.#budget.rounds);
    if (doomed) {
      return { check: { verdict: "mismatch", issues: doomed, candidate: call.input, notes: [] }, origin };
    }
    if (facts.cut) return { check: cutOff, origin };
    return { check: await this.#check({ text: inputText(call, context), fenced: false }), origin };
  }

  /** Judges an answer that was given as text. */
  async judgeText(text: string): Promise<JudgedCandidate<T>> {
    const origin = this.#origin([]);
    return { check: await this.#check({ text, fenced: true }), origin };
  }

  #origin(notes: readonly Normalisation[]): CandidateOrigin {
    return { startedMs: this.#options.clock.monotonicMs(), notes };
  }

  #check(candidate: CandidateText): Promise<CandidateCheck<T>> {
    const { reservation, compiled, lowering, validate, redact, signal } = this.#options;
    const { spec, toolName } = reservation;
    const { next: attempt, remaining } = this.log;
    const validateContext = { signal, attempt, remaining, usage: this.#budget.usage };
    const reading = { spec, toolName, compiled, lowering };
    return checkCandidate(candidate, { ...reading, validate, redact, validateContext });
  }
}

const cutOff = { verdict: "truncated", limit: "output_tokens", notes: [] } as const;

function inputText(call: ToolCall, { rewrite }: SettleContext): string {
  if (!rewrite) return call.input;
  return "text" in rewrite ? rewrite.text : (JSON.stringify(rewrite.value) ?? "");
}
