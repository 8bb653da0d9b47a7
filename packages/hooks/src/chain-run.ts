import type { JsonValue } from "@basis/core";
import { advance, outcomeOf, startFold, type FoldState } from "./advance.ts";
import { askParticipant, type Question, type Turn } from "./ask-participant.ts";
import type { AnswerNote, CallSubject } from "./audit-trail.ts";
import type { HookFailure, HookOutcome, Verdict } from "./hook-decision.ts";
import type { HookRequest } from "./hook-request.ts";
import { matchesInput } from "./participant-filter.ts";
import type { Seat } from "./participant.ts";

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
  readonly turn: Turn;
  readonly ports: RunPorts;
}

/** In an aborted turn nobody allows anything, also where it was a shadow that was cut off. */
const TURN_ABORTED: HookOutcome = Object.freeze({
  decision: "deny",
  reason: "denied by the hook chain: the turn was aborted",
});

/** One call on its way through its participants. */
export class ChainRun {
  readonly subject: CallSubject;
  readonly answers: AnswerNote[] = [];
  readonly #plan: readonly Seat[];
  readonly #turn: Turn;
  readonly #ports: RunPorts;
  readonly #startMs: number;
  #state: FoldState;
  #mode: "decide" | "recheck" = "decide";
  #next = 0;
  #rechecks: readonly Seat[] = [];
  /** Whom an input filter left out, and the request it was about. */
  #skipped: Map<Seat, HookRequest> | undefined;
  /** The order of the lowest rank that changed the input. */
  #lowestChange = -1;
  #lapMs: number;

  constructor(parts: RunParts) {
    this.#plan = parts.plan;
    this.subject = parts.subject;
    this.#turn = parts.turn;
    this.#ports = parts.ports;
    this.#startMs = parts.turn.clock.monotonicMs();
    this.#lapMs = this.#startMs;
    this.#state = startFold(parts.request);
  }

  /** Those who would have had their turn, had nobody denied. */
  get unreached(): readonly Seat[] {
    return this.#mode === "decide" ? this.#plan.slice(this.#next) : [];
  }

  /** From the start to the last answer. */
  get elapsedMs(): number {
    return this.#lapMs - this.#startMs;
  }

  /** Asks in order. Stays synchronous until a participant answers with a promise. */
  proceed(): HookOutcome | Promise<HookOutcome> {
    for (let question = this.#question(); question !== undefined; question = this.#question()) {
      const verdict = askParticipant(question, this.#turn);
      if (verdict instanceof Promise) return this.#proceedLater(question, verdict);
      this.#settle(question, verdict);
    }
    return this.#end();
  }

  async #proceedLater(first: Question, pending: Promise<Verdict>): Promise<HookOutcome> {
    try {
      this.#settle(first, await pending);
      for (let question = this.#question(); question !== undefined; question = this.#question()) {
        const verdict = askParticipant(question, this.#turn);
        this.#settle(question, verdict instanceof Promise ? await verdict : verdict);
      }
      return this.#end();
    } catch (error) {
      return this.#ports.onCrash(this.subject, error);
    }
  }

  #end(): HookOutcome {
    const outcome = outcomeOf(this.#state);
    const isLost = outcome.decision !== "deny" && this.#turn.signals.some(({ aborted }) => aborted);
    return this.#ports.onEnd(this, isLost ? TURN_ABORTED : outcome);
  }

  /** The next question, or undefined when the chain has ended. */
  #question(): Question | undefined {
    const { request, denied } = this.#state;
    if (denied !== undefined) return undefined;
    for (;;) {
      const seats = this.#mode === "decide" ? this.#plan : this.#rechecks;
      const seat = seats[this.#next];
      if (seat === undefined) {
        if (this.#mode === "recheck" || this.#lowestChange < 0) return undefined;
        this.#startRechecks();
        continue;
      }
      this.#next += 1;
      if (matchesInput(seat.input, request.input)) {
        return { seat, request, mode: this.#mode, askedMs: this.#lapMs };
      }
      if (this.#mode === "decide") (this.#skipped ??= new Map<Seat, HookRequest>()).set(seat, request);
    }
  }

  /** A call is admitted only on an input that everybody of higher rank has judged, and everybody whom it concerns. */
  #startRechecks(): void {
    const { request } = this.#state;
    this.#rechecks = this.#plan.filter((seat) => {
      if (seat.shadow) return false;
      const skippedOn = this.#skipped?.get(seat);
      return seat.order < this.#lowestChange || (skippedOn !== undefined && skippedOn !== request);
    });
    this.#mode = "recheck";
    this.#next = 0;
  }

  #settle({ seat, request, mode }: Question, verdict: Verdict): void {
    const nowMs = this.#turn.clock.monotonicMs();
    const ms = nowMs - this.#lapMs;
    this.#lapMs = nowMs;
    this.answers.push({ seat, mode, verdict, ms, before: changedBy(verdict, request) });
    if (verdict.decision === "allow") return;
    if (verdict.decision === "broken") this.#ports.onBroken(this, seat, verdict.failure);
    this.#state = advance(this.#state, seat, { verdict, mode });
    if (this.#state.request !== request && request.event === "pre_tool_use") {
      this.#lowestChange = Math.max(this.#lowestChange, seat.order);
    }
  }
}

/** What a change replaces, for its digest; nothing is held for other answers. */
function changedBy({ decision }: Verdict, request: HookRequest): JsonValue | undefined {
  if (decision === "modify") return request.input;
  return decision === "replace" && request.event === "post_tool_use" ? request.output : undefined;
}
