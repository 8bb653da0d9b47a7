import { isBasisError, type Clock } from "@basis/core";
import { onAbort } from "./abort-watch.ts";
import { broken, judgeAnswer, type Verdict } from "./hook-decision.ts";
import type { FailureCode, HookError } from "./hook-error.ts";
import type { HookRequest } from "./hook-request.ts";
import type { AskContext } from "./interceptor.ts";
import type { Seat } from "./seat.ts";

/** What all participants of one call share. */
export interface Turn {
  readonly clock: Clock;
  /** Aborts with the turn, and with the chain's `close`. */
  readonly signals: readonly AbortSignal[];
}

/** One question to one participant. */
export interface Question {
  readonly seat: Seat;
  readonly request: HookRequest;
  readonly mode: "decide" | "recheck";
}

/**
 * Asks one participant; never throws and never rejects. A synchronous answer is judged at once. One that is still
 * open after two microtasks gets a deadline and listens to the turn; a later answer is then ignored.
 */
export function askParticipant(question: Question, turn: Turn): Verdict | Promise<Verdict> {
  const { seat, request } = question;
  if (isAborted(turn)) return aborted();
  const context = new QuestionContext(question.mode, turn);
  const deadline = new Deadline(seat.timeoutMs, turn.clock);
  try {
    const answer = seat.ask(request, context);
    if (isThenable(answer)) return new OpenAnswer(question, { context, deadline, turn }).settled(answer);
    context.release();
    return deadline.verdictIfPast() ?? judgeAnswer(answer, request.event);
  } catch (error) {
    context.release();
    return failed(error);
  }
}

/** True once the turn was aborted or the chain closed. */
export function isAborted(turn: Turn): boolean {
  return turn.signals.some((signal) => signal.aborted);
}

/** When an answer must be there. Without a `timeoutMs` the participant keeps its own deadline. */
class Deadline {
  readonly #timeoutMs: number | undefined;
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(timeoutMs: number | undefined, clock: Clock) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#startMs = timeoutMs === undefined ? 0 : clock.monotonicMs();
  }

  /** What an answer is worth that arrives only now: a participant that blocked the thread is late as well. */
  verdictIfPast(): Verdict | undefined {
    if (this.#timeoutMs === undefined) return undefined;
    const late = this.#clock.monotonicMs() - this.#startMs > this.#timeoutMs;
    return late ? timedOut(this.#timeoutMs) : undefined;
  }

  /** Calls back at the deadline; the answer cancels that. */
  alarm(giveUp: (verdict: Verdict) => void): () => void {
    const timeoutMs = this.#timeoutMs;
    if (timeoutMs === undefined) return () => undefined;
    return this.#clock.alarm(timeoutMs, () => giveUp(timedOut(timeoutMs)));
  }
}

/** The context of one question. Its signal is made when it is first read: most participants never look at it. */
class QuestionContext implements AskContext {
  readonly mode: "decide" | "recheck";
  readonly #turn: Turn;
  #controller: AbortController | undefined;
  #undo: (() => void) | undefined;
  #over: { readonly reason: unknown } | undefined;
  #released = false;

  constructor(mode: "decide" | "recheck", turn: Turn) {
    this.mode = mode;
    this.#turn = turn;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#over !== undefined) this.#controller.abort(this.#over.reason);
      else if (!this.#released) {
        this.#undo = onTurnAbort(this.#turn, (reason) => this.#controller?.abort(reason));
      }
    }
    return this.#controller.signal;
  }

  /** Tells the participant that nobody waits any more. */
  abort(reason: unknown): void {
    this.#over = { reason };
    this.release();
    this.#controller?.abort(reason);
  }

  release(): void {
    this.#released = true;
    this.#undo?.();
  }
}

interface OpenAnswerParts {
  readonly context: QuestionContext;
  readonly deadline: Deadline;
  readonly turn: Turn;
}

/** An answer that was not there at once. */
class OpenAnswer {
  readonly #question: Question;
  readonly #parts: OpenAnswerParts;
  #resolve: ((verdict: Verdict) => void) | undefined;
  #undo: (() => void)[] = [];

  constructor(question: Question, parts: OpenAnswerParts) {
    this.#question = question;
    this.#parts = parts;
  }

  settled(pending: PromiseLike<unknown>): Promise<Verdict> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const { event } = this.#question.request;
      const { deadline } = this.#parts;
      Promise.resolve(pending).then(
        (answer) => this.#settle(() => deadline.verdictIfPast() ?? judgeAnswer(answer, event)),
        (error: unknown) => this.#settle(() => failed(error)),
      );
      queueMicrotask(() => queueMicrotask(() => this.#watch()));
    });
  }

  #watch(): void {
    if (this.#resolve === undefined) return;
    const { deadline, turn } = this.#parts;
    if (isAborted(turn)) {
      this.#giveUp(aborted());
      return;
    }
    this.#undo.push(
      onTurnAbort(turn, () => this.#giveUp(aborted())),
      deadline.alarm((verdict) => this.#giveUp(verdict)),
    );
  }

  #giveUp(verdict: Verdict): void {
    this.#settle(() => verdict);
    this.#parts.context.abort(new Error("nobody waits for this answer any more"));
  }

  #settle(judge: () => Verdict): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    for (const step of this.#undo) step();
    this.#parts.context.release();
    resolve(judge());
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}

/** Calls back when any of the turn's signals aborts; the answer takes that back. */
function onTurnAbort(turn: Turn, react: (reason: unknown) => void): () => void {
  const undo = turn.signals.map((signal) => onAbort(signal, () => react(signal.reason)));
  return () => undo.forEach((step) => step());
}

function aborted(): Verdict {
  return broken("aborted", "was cut off because the turn was aborted");
}

function timedOut(timeoutMs: number): Verdict {
  return broken("timed_out", `did not answer within ${timeoutMs}ms`);
}

/** What an error says about a participant: in its own words when it is a `HookError`, else only that there was one. */
function failed(error: unknown): Verdict {
  if (isFailure(error)) return broken(error.code, error.message, error.details.said || error.message);
  if (error instanceof Error) return broken("threw", "threw an error", `threw an error: ${error.message}`);
  return broken("threw", "threw something that is not an error", `threw ${describe(error)}`);
}

function isFailure(error: unknown): error is HookError<FailureCode> {
  return isBasisError(error, "HookError") && typeof error.details["said"] === "string";
}

function describe(value: unknown): string {
  try {
    return `${typeof value}: ${String(value)}`;
  } catch {
    return typeof value;
  }
}
