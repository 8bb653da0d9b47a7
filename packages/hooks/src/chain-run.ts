import type { JsonValue } from "@basis/core";
import { advance, outcomeOf, startFold, type FoldState } from "./advance.ts";
import { isAborted, Question, type Subject, type Turn } from "./ask-participant.ts";
import type { AnswerNote, CallSubject } from "./audit-trail.ts";
import type { HookFailure, HookOutcome, Verdict } from "./hook-decision.ts";
import type { EffectOf, HookRequest, PostToolRequest } from "./hook-request.ts";
import type { Seat } from "./participant.ts";

/** Its callbacks are microtasks, without what `queueMicrotask` adds to each for tracing. */
const SETTLED: Promise<void> = Promise.resolve();

/** Whom a run tells; none of these may throw. */
export interface RunPorts {
  /** Once for each participant that could not answer. */
  onBroken(run: ChainRun, seat: Seat, failure: HookFailure): void;
  /** At the end; answers the outcome. */
  onEnd(run: ChainRun, outcome: HookOutcome): HookOutcome;
  /** When the run itself fails; answers what that means for the call. */
  onCrash(subject: CallSubject, error: unknown): HookOutcome;
}

/** What a run is made from. */
export interface RunParts {
  /** The participants whose event and tool filters let the call through, in order; at least one. */
  readonly plan: readonly Seat[];
  readonly subject: CallSubject;
  readonly request: HookRequest;
  readonly effectOf: EffectOf | undefined;
  readonly turn: Turn;
  readonly ports: RunPorts;
}

/** One call on its way through its participants. */
export class ChainRun {
  readonly subject: CallSubject;
  readonly answers: AnswerNote[] = [];
  /** Whom to ask: the plan, then those who judge again. */
  #queue: readonly Seat[];
  readonly #ports: RunPorts;
  readonly #startMs: number;
  #state: FoldState;
  #asked: Subject;
  #next = 0;
  /** Whom a filter on the request left out, and the request it was about. */
  #skipped: Map<Seat, HookRequest> | undefined;
  /** The order of the last who changed the input, and so of the lowest rank that did. */
  #lastChange = -1;
  #lapMs: number;
  #resolve: ((outcome: HookOutcome) => void) | undefined;

  constructor(parts: RunParts) {
    this.#queue = parts.plan;
    this.subject = parts.subject;
    this.#ports = parts.ports;
    this.#startMs = parts.turn.clock.monotonicMs();
    this.#lapMs = this.#startMs;
    this.#state = startFold(parts.request, parts.effectOf);
    this.#asked = { request: parts.request, mode: "decide", turn: parts.turn };
  }

  get isAborted(): boolean {
    return isAborted(this.#asked.turn);
  }

  /** Those who would have had their turn, had nobody denied. */
  get unreached(): readonly Seat[] {
    return this.#asked.mode === "decide" ? this.#queue.slice(this.#next) : [];
  }

  /** From the start to the last answer. */
  get elapsedMs(): number {
    return this.#lapMs - this.#startMs;
  }

  /** Asks in order. Stays synchronous until a participant answers with a promise. */
  proceed(): HookOutcome | Promise<HookOutcome> {
    const open = this.#askOn();
    if (open === undefined) return this.#end();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.#goOnFrom(open);
    });
  }

  /** Asks until a question stays open; undefined when the chain has ended. */
  #askOn(): Question | undefined {
    for (let question = this.#question(); question !== undefined; question = this.#question()) {
      question.ask();
      if (question.verdict === undefined) return question;
      this.#settle(question, question.verdict);
    }
    return undefined;
  }

  /** Goes on from a question that is open, or that was given up: then nobody waits for it any more. */
  async #goOnFrom(first: Question): Promise<void> {
    for (
      let question: Question | undefined = first;
      question !== undefined;
      question = this.#goOn(question)
    ) {
      if (question.isGivenUp) continue;
      this.#watch(question);
      try {
        question.take(await question.pending);
      } catch (error) {
        question.fail(error);
      }
      if (question.isGivenUp) return;
    }
  }

  /** Asks on after a question that now has its verdict; at the end the outcome is given. Answers who is open then. */
  #goOn(answered: Question): Question | undefined {
    let outcome: HookOutcome;
    try {
      this.#settle(answered, answered.verdict!);
      const open = this.#askOn();
      if (open !== undefined) return open;
      outcome = this.#end();
    } catch (error) {
      outcome = this.#ports.onCrash(this.subject, error);
    }
    this.#resolve?.(outcome);
    return undefined;
  }

  /**
   * Guards the question if it is still open two microtasks later. Most answers are there before, and a timer and a
   * listener for each would cost more than the chain.
   */
  #watch(question: Question): void {
    void SETTLED.then().then(() => {
      if (question.verdict === undefined) question.guard(() => void this.#goOnFrom(question));
    });
  }

  #end(): HookOutcome {
    return this.#ports.onEnd(this, outcomeOf(this.#state));
  }

  /** The next question, or undefined when the chain has ended. */
  #question(): Question | undefined {
    if (this.#state.denied !== undefined) return undefined;
    for (;;) {
      const { request, mode } = this.#asked;
      const seat = this.#queue[this.#next];
      if (seat === undefined) {
        if (mode === "recheck" || this.#lastChange < 0) return undefined;
        this.#startRechecks();
        continue;
      }
      this.#next += 1;
      if (seat.concerns === undefined || seat.concerns(request)) {
        return new Question(seat, this.#asked, this.#lapMs);
      }
      if (mode === "decide") (this.#skipped ??= new Map<Seat, HookRequest>()).set(seat, request);
    }
  }

  /** A call is admitted only on an input that everybody of higher rank has judged, and everybody whom it concerns. */
  #startRechecks(): void {
    const { request } = this.#asked;
    this.#queue = this.#queue.filter((seat) => {
      if (seat.shadow) return false;
      const skippedOn = this.#skipped?.get(seat);
      return seat.order < this.#lastChange || (skippedOn !== undefined && skippedOn !== request);
    });
    this.#asked = { ...this.#asked, mode: "recheck" };
    this.#next = 0;
  }

  #settle({ seat, subject, answeredMs }: Question, verdict: Verdict): void {
    const { request, mode } = subject;
    const ms = answeredMs - this.#lapMs;
    this.#lapMs = answeredMs;
    let before: JsonValue | undefined;
    if (verdict.decision === "modify") before = request.input;
    if (verdict.decision === "replace") before = (request as PostToolRequest).output;
    this.answers.push({ seat, mode, verdict, ms, before });
    if (verdict.decision === "allow") return;
    if (verdict.decision === "broken") this.#ports.onBroken(this, seat, verdict.failure);
    this.#state = advance(this.#state, seat, { verdict, mode });
    if (this.#state.request === request) return;
    this.#asked = { ...this.#asked, request: this.#state.request };
    if (request.event === "pre_tool_use") this.#lastChange = seat.order;
  }
}
