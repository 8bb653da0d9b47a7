import type { TokenUsage, ToolCall } from "@basis/core";
import type { CandidateOrigin, LoggedAttempt, SetAside } from "./attempt-log.ts";
import { isPending, type Awaitable } from "./awaitable.ts";
import { CandidateJudge, type JudgedCandidate } from "./candidate-judge.ts";
import type { CandidateCheck } from "./check-candidate.ts";
import type { GateOptions } from "./gate-options.ts";
import { GateRound, type TakenCall } from "./gate-round.ts";
import { refusedPart, type ProviderRefusal } from "./ladder.ts";
import type { AttemptRecord, OutputBound, OutputPlan } from "./output-result.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { DeltaVerdict, ReplyDelta } from "./stream/stream-event.ts";
import type { TurnEnding } from "./output-turn.ts";
import type {
  Admission,
  EndOfTurn,
  RefusalVerdict,
  RefusedCall,
  ReplyFacts,
  RoundOffer,
  RoundVerdict,
  SettleContext,
  Settlement,
  SiblingOutcome,
  TerminalGate,
} from "./terminal-gate.ts";
import { errorResult, feedback, isRefusal, words } from "./terminal-tool.ts";
import { TurnBudget } from "./turn-budget.ts";
import { TurnProgress } from "./turn-progress.ts";

const none: readonly never[] = Object.freeze([]);

interface HeldAnswer<T> {
  readonly call: ToolCall;
  readonly check: CandidateCheck<T> & { readonly verdict: "accepted" };
  readonly origin: CandidateOrigin;
}

type CallPlace = Pick<TakenCall, "position"> & { readonly round: GateRound };

/** The gate of one run: the pure turn, fed by a host's loop and by the checks of the candidates. */
export class OpenGate<T> implements TerminalGate {
  readonly toolName: string;
  /** True once a round was asked for: from then on a turn exists. */
  started = false;
  readonly #options: GateOptions<T>;
  readonly #budget: TurnBudget;
  readonly #judge: CandidateJudge<T>;
  readonly #progress: TurnProgress;
  #round: GateRound | undefined;
  #held: HeldAnswer<T> | undefined;
  readonly #settling = new OneAtATime();

  constructor(options: GateOptions<T>) {
    this.#options = options;
    this.toolName = options.toolName;
    this.#budget = new TurnBudget(options.bounds, options.clock);
    this.#judge = new CandidateJudge(options, this.#budget);
    this.#progress = new TurnProgress(options);
  }

  offer(): RoundOffer | EndOfTurn {
    this.#closeRound(none);
    this.#progress.watchAbort();
    const by = this.#budget.exceeded(this.#progress.phase === "work");
    if (by) this.#progress.advance({ type: "bound", by, canClose: this.#budget.canClose(by) });
    const { ending } = this.#progress;
    if (ending) return { kind: "end", status: ending.status };
    this.started = true;
    return this.#progress.nextOffer(this.#budget.rounds + 1, this.#judge.log.calls);
  }

  delta(delta: ReplyDelta): DeltaVerdict {
    if (this.#isOver()) return "continue";
    const place = { round: this.#budget.rounds + 1, byText: this.#progress.asksForText };
    return this.#options.watch?.delta(delta, place) ?? "continue";
  }

  admit(calls: readonly ToolCall[], facts: ReplyFacts = {}): Admission {
    this.#closeRound(none);
    this.#budget.countReply(facts.usage);
    this.#progress.watchAbort();
    if (isRefusal(facts)) this.#progress.end({ status: "refused", text: facts.text ?? "" });
    const { agentId } = this.#options;
    const foreign = agentId !== undefined && facts.agentId !== undefined && agentId !== facts.agentId;
    const round = new GateRound(calls, facts, {
      toolName: this.toolName,
      siblings: this.#options.siblings,
      refusal: foreign ? undefined : this.#progress.refusalOfOrdinary(),
      refuseAll: this.#progress.ending ? words.ended : undefined,
      refuseTerminal: foreign ? words.foreign : undefined,
      refuseRest: () => (this.#progress.watchAbort() ? words.ended : undefined),
      takeBudget: (wanted) => this.#budget.takeToolCalls(wanted),
    });
    if (!foreign) this.#round = round;
    return round.admission;
  }

  settle(call: ToolCall, context: SettleContext = {}): Promise<Settlement> {
    return this.#settling.do(() => this.#settle(call, context));
  }

  #settle(call: ToolCall, context: SettleContext): Awaitable<Settlement> {
    const round = this.#round;
    const taken = round?.take(call);
    if (!round || !taken) return feedback(this.#progress.ending ? words.ended : words.stale);
    if (round.decided) return feedback(this.#afterDecision());
    const cut = round.finish === "length" && taken.last;
    const judged = this.#judge.judgeCall(call, context, { repaired: taken.repaired, cut });
    const answer = (known: JudgedCandidate<T>): Settlement =>
      this.#answer(call, known, { round, position: taken.position });
    return isPending(judged) ? judged.then(answer) : answer(judged);
  }

  #answer(call: ToolCall, { check, origin }: JudgedCandidate<T>, place: CallPlace): Settlement {
    const { round, position } = place;
    if (check.verdict === "aborted" || this.#isOver()) return this.#ended(words.ended);
    if (this.#round !== round) return feedback(words.stale);
    if (check.verdict !== "accepted") {
      const { text } = this.#note(check, origin);
      if (!this.#progress.ending) return feedback(text);
      round.decide(position, false);
      return this.#ended(text);
    }
    round.decide(position, true);
    if (this.#options.siblings === "veto") {
      this.#held = { call, check, origin };
      return { kind: "hold" };
    }
    this.#note(check, origin);
    return { kind: "accept", result: { output: words.accepted, isError: false } };
  }

  close(outcomes: readonly SiblingOutcome[] = none): RoundVerdict {
    return this.#verdict(this.#closeRound(outcomes));
  }

  #closeRound(outcomes: readonly SiblingOutcome[]): readonly RefusedCall[] {
    const round = this.#round;
    if (!round) return none;
    const results = this.#held ? this.#releaseHeld(this.#held, outcomes) : none;
    this.#round = undefined;
    if (round.offCourse && round.finish === "length")
      this.#progress.advance({ type: "prose", text: round.text, cut: true });
    else if (round.offCourse && this.#progress.phase === "ask")
      this.#progress.advance({ type: "off_course", text: round.text });
    return results;
  }

  async ended(facts: ReplyFacts): Promise<RoundVerdict> {
    this.#closeRound(none);
    this.#budget.countReply(facts.usage);
    if (this.#progress.watchAbort()) return this.#verdict(none);
    const { text = "", finish } = facts;
    const cut = finish === "length";
    if (isRefusal(facts)) this.#progress.end({ status: "refused", text });
    else if (!cut && this.#progress.isAnswerText(text)) await this.#judgeText(text);
    else this.#progress.advance({ type: "prose", text, cut });
    return this.#verdict(none);
  }

  refused(refusal: ProviderRefusal): RefusalVerdict {
    const part = refusedPart(refusal);
    if (part === undefined || this.#progress.ending) return { kind: "fail" };
    if (this.#progress.phase === "work" && part === "tool_choice") return { kind: "fail" };
    this.#progress.advance({ type: "provider_refused", part, message: refusal.message });
    const verdict = this.#verdict(none);
    return verdict.kind === "end" ? { kind: "end", status: verdict.status } : { kind: "retry" };
  }

  bounded(by: OutputBound): RoundVerdict {
    this.#closeRound(none);
    this.#progress.advance({ type: "bound", by, canClose: this.#budget.exceeded(false) === undefined });
    return this.#verdict(none);
  }

  /** Ends the turn from outside; the first ending stands. */
  abandon(ending: TurnEnding): void {
    this.#progress.end(ending);
  }

  get ending(): TurnEnding | undefined {
    return this.#progress.ending;
  }

  get attempts(): readonly AttemptRecord[] {
    return Object.freeze([...this.#judge.log.records]);
  }

  get plan(): OutputPlan {
    return this.#progress.plan;
  }

  /** Of every round the gate heard of. */
  get usage(): TokenUsage {
    return this.#budget.usage;
  }

  async #judgeText(text: string): Promise<void> {
    const { check, origin } = await this.#judge.judgeText(text);
    if (check.verdict === "aborted" || this.#isOver()) return;
    const logged = this.#note(check, origin);
    this.#progress.addText(logged.text);
  }

  /** What a terminal call is told that comes after the one which decided the round. */
  #afterDecision(): string {
    const accepted = this.#held !== undefined || this.#progress.ending?.status === "accepted";
    return accepted ? words.notUsed(this.toolName) : words.notExecuted(this.toolName);
  }

  #isOver(): boolean {
    return this.#progress.watchAbort() || this.#progress.ending !== undefined;
  }

  /** Puts a candidate into the account and lets the turn go on from it. */
  #note(check: CandidateCheck<T> | SetAside, origin: CandidateOrigin): LoggedAttempt {
    const logged = this.#judge.note(check, origin);
    this.#progress.advance({ type: logged.final ? "end" : "attempt_failed", ending: logged.ending });
    return logged;
  }

  /** Under `veto` the siblings have the last word on an answer that is good by itself. */
  #releaseHeld(
    { call, check, origin }: HeldAnswer<T>,
    outcomes: readonly SiblingOutcome[],
  ): readonly RefusedCall[] {
    this.#held = undefined;
    if (this.#progress.watchAbort()) return [{ call, result: errorResult(words.ended) }];
    const failures = outcomes.filter(({ result }) => result.isError);
    if (failures.length === 0) {
      this.#note(check, origin);
      return [{ call, result: { output: words.accepted, isError: false } }];
    }
    const message = words.veto(failures.map((failure) => failure.call.toolName));
    const { text } = this.#note({ verdict: "vetoed", message, candidate: check.candidate }, origin);
    return [{ call, result: errorResult(text) }];
  }

  #verdict(results: readonly RefusedCall[]): RoundVerdict {
    const { ending } = this.#progress;
    return ending ? { kind: "end", status: ending.status, results } : { kind: "continue", results };
  }

  #ended(text: string): Settlement {
    return { kind: "end", result: errorResult(text), status: this.#progress.ending?.status ?? "cancelled" };
  }
}
