import type { ToolCall } from "@basis/core";
import { AttemptLog, type CandidateOrigin, type LoggedAttempt, type SetAside } from "./attempt-log.ts";
import { isPending, type Awaitable } from "./awaitable.ts";
import {
  checkCandidate,
  type CandidateCheck,
  type CandidateText,
  type CheckContext,
} from "./check-candidate.ts";
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

const asWritten: readonly Normalisation[] = Object.freeze([]);
const renamed: readonly Normalisation[] = Object.freeze([
  Object.freeze({ kind: "tool_name_case", pointer: "" }),
]);
const cutOff = { verdict: "truncated", limit: "output_tokens", notes: [] } as const;

/** Judges the candidates of one run and keeps their account. */
export class CandidateJudge<T> {
  readonly log: AttemptLog;
  readonly #options: GateOptions<T>;
  readonly #budget: TurnBudget;
  readonly #context: CheckContext<T>;

  constructor(options: GateOptions<T>, budget: TurnBudget) {
    const { spec, toolName, compiled, lowering, validate, redact, abort } = options;
    this.#options = options;
    this.#budget = budget;
    this.log = new AttemptLog(options, budget);
    const validateContext: CheckContext<T>["validateContext"] = () => {
      const { next: attempt, remaining } = this.log;
      return {
        attempt,
        remaining,
        usage: budget.usage,
        get signal() {
          return abort.signal;
        },
      };
    };
    this.#context = { spec, toolName, compiled, lowering, validate, redact, abort, validateContext };
  }

  /** Judges a terminal call by what its last hook left. */
  judgeCall(call: ToolCall, context: SettleContext, facts: CallFacts): Awaitable<JudgedCandidate<T>> {
    const origin: CandidateOrigin = {
      startedMs: this.#options.clock.monotonicMs(),
      notes: facts.repaired ? renamed : asWritten,
      toolCallId: call.toolCallId,
      by: context.denied?.by ?? context.rewrite?.by,
    };
    if (context.denied) {
      const { message } = context.denied;
      return { check: { verdict: "denied", message, candidate: call.input }, origin };
    }
    const doomed = this.#options.watch?.doomed(call.toolCallId, this.#budget.rounds);
    if (doomed) {
      return { check: { verdict: "mismatch", issues: doomed, candidate: call.input, notes: [] }, origin };
    }
    if (facts.cut) return { check: cutOff, origin };
    return this.#check({ text: inputText(call, context), fenced: false }, origin);
  }

  /** Judges an answer that was given as text. */
  judgeText(text: string): Awaitable<JudgedCandidate<T>> {
    const startedMs = this.#options.clock.monotonicMs();
    return this.#check({ text, fenced: true }, { startedMs, notes: asWritten });
  }

  /** Puts a candidate into the account. */
  note(check: CandidateCheck<T> | SetAside, origin: CandidateOrigin): LoggedAttempt {
    if (check.verdict === "accepted" && this.#options.watch) {
      const { toolCallId: id = "", by } = origin;
      const place = { round: this.#budget.rounds, id, rewritten: by !== undefined };
      this.#options.watch.accepted(check.candidate, place);
    }
    return this.log.add(check, origin);
  }

  #check(candidate: CandidateText, origin: CandidateOrigin): Awaitable<JudgedCandidate<T>> {
    const check = checkCandidate(candidate, this.#context);
    return isPending(check) ? check.then((known) => ({ check: known, origin })) : { check, origin };
  }
}

function inputText(call: ToolCall, { rewrite }: SettleContext): string {
  if (!rewrite) return call.input;
  return "text" in rewrite ? rewrite.text : (JSON.stringify(rewrite.value) ?? "");
}
