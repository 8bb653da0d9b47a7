import { onAbort, type Abortable, type Clock } from "@basis/core";
import { broken, judgeAnswer, type Verdict } from "./hook-decision.ts";
import type { HookRequest } from "./hook-request.ts";
import type { AskContext, Seat } from "./participant.ts";
import { isThenable, verdictOfThrown } from "./thrown.ts";

/** What all participants of one call share. */
export interface Turn {
  readonly clock: Clock;
  /** Abort with the turn, and with the chain's `close`. */
  readonly signals: readonly Abortable[];
}

/** What is asked; the same for all participants until one of them changes it. */
export interface Subject {
  readonly request: HookRequest;
  readonly mode: "decide" | "recheck";
  readonly turn: Turn;
}

/** One question to one participant. Nothing here throws or rejects; the first verdict stands. */
export class Question {
  readonly seat: Seat;
  readonly subject: Subject;
  /** What the participant has still to answer with; set by `ask` unless there is a verdict at once. */
  pending: PromiseLike<unknown> | undefined;
  verdict: Verdict | undefined;
  /** When the verdict was there. The clock is read once a question: few things in one cost as much. */
  answeredMs: number;
  /** The chain did not wait any longer. */
  isGivenUp = false;
  readonly #askedMs: number;
  #controller: AbortController | undefined;
  readonly #undo: (() => void)[] = [];

  /** `askedMs` is the time by the turn's monotonic clock that the chain has read last. */
  constructor(seat: Seat, subject: Subject, askedMs: number) {
    this.seat = seat;
    this.subject = subject;
    this.#askedMs = askedMs;
    this.answeredMs = askedMs;
  }

  /** Asks; a synchronous answer is judged at once. */
  ask(): void {
    const { request, mode, turn } = this.subject;
    if (isAborted(turn)) {
      this.#end(aborted());
      return;
    }
    try {
      const answer = this.seat.ask(request, new QuestionContext(mode, this));
      if (isThenable(answer)) this.pending = answer;
      else this.take(answer);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Judges the answer. */
  take(answer: unknown): void {
    this.#readClock();
    this.#end(this.#judge(answer));
  }

  /** Judges what was thrown in place of an answer. */
  fail(error: unknown): void {
    this.#readClock();
    this.#end(verdictOfThrown(error));
  }

  /** Sets the deadline and listens to the turn; when either comes first, the participant is told and so is the chain. */
  guard(onGivenUp: () => void): void {
    const { turn } = this.subject;
    const { timeoutMs } = this.seat;
    const giveUp = (verdict: Verdict): void => {
      if (this.verdict !== undefined) return;
      this.isGivenUp = true;
      this.#readClock();
      this.#end(verdict);
      this.#controller?.abort();
      onGivenUp();
    };
    if (isAborted(turn)) {
      giveUp(aborted());
      return;
    }
    this.#onTurnAbort(() => giveUp(aborted()));
    this.#undo.push(turn.clock.alarm(timeoutMs, () => giveUp(timedOut(timeoutMs))));
  }

  /** The participant's signal, made when it is first read. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.isGivenUp) controller.abort();
      else if (this.verdict === undefined) this.#onTurnAbort(() => controller.abort());
    }
    return this.#controller.signal;
  }

  /** A participant that blocked the thread past its deadline is late, and in an aborted turn nobody allows anything. */
  #judge(answer: unknown): Verdict {
    const { request, turn } = this.subject;
    const { timeoutMs } = this.seat;
    if (isAborted(turn)) return aborted();
    if (this.answeredMs - this.#askedMs > timeoutMs) return timedOut(timeoutMs);
    return judgeAnswer(answer, request.event);
  }

  #readClock(): void {
    this.answeredMs = this.subject.turn.clock.monotonicMs();
  }

  #onTurnAbort(react: () => void): void {
    for (const signal of this.subject.turn.signals) this.#undo.push(onAbort(signal, react));
  }

  #end(verdict: Verdict): void {
    this.verdict ??= verdict;
    for (const step of this.#undo) step();
  }
}

/** A question as its participant sees it. */
class QuestionContext implements AskContext {
  readonly mode: "decide" | "recheck";
  readonly #question: Question;

  constructor(mode: "decide" | "recheck", question: Question) {
    this.mode = mode;
    this.#question = question;
  }

  get signal(): AbortSignal {
    return this.#question.signal;
  }
}

/** True once nobody waits for the call any more. */
export function isAborted({ signals }: Turn): boolean {
  for (const signal of signals) if (signal.aborted) return true;
  return false;
}

function aborted(): Verdict {
  return broken("aborted", "was cut off because the turn was aborted");
}

function timedOut(timeoutMs: number): Verdict {
  return broken("timed_out", `did not answer within ${timeoutMs}ms`);
}
