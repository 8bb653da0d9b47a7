import { onAbort, type Clock } from "@basis/core";
import { broken, judgeAnswer, type Verdict } from "./hook-decision.ts";
import type { HookRequest } from "./hook-request.ts";
import type { AskContext, Seat } from "./participant.ts";
import { isThenable, verdictOfThrown } from "./thrown.ts";

/** Its callbacks are microtasks, without what `queueMicrotask` adds to each for tracing (0.3 µs, twice a question). */
const SETTLED: Promise<void> = Promise.resolve();

/** What all participants of one call share. */
export interface Turn {
  readonly clock: Clock;
  /** Abort with the turn, and with the chain's `close`. */
  readonly signals: readonly AbortSignal[];
}

/** One question to one participant. */
export interface Question {
  readonly seat: Seat;
  readonly request: HookRequest;
  readonly mode: "decide" | "recheck";
  /** When it is asked, by the turn's monotonic clock: the time that the chain has just read. */
  readonly askedMs: number;
}

/**
 * Asks one participant; never throws and never rejects. A synchronous answer is judged at once. One that is still
 * open after two microtasks gets a deadline and listens to the turn; a later answer is then ignored.
 */
export function askParticipant(question: Question, turn: Turn): Verdict | Promise<Verdict> {
  return isAborted(turn) ? aborted() : Asking.ask(question, turn);
}

function isAborted({ signals }: Turn): boolean {
  return signals.some((signal) => signal.aborted);
}

/** One question on its way; the participant sees it as its context. Signal and timer are made only where needed. */
class Asking implements AskContext {
  readonly mode: "decide" | "recheck";
  readonly #seat: Seat;
  readonly #turn: Turn;
  readonly #request: HookRequest;
  readonly #startMs: number;
  #controller: AbortController | undefined;
  #resolve: ((verdict: Verdict) => void) | undefined;
  #undo: (() => void)[] = [];
  #state: "asked" | "answered" | "given up" = "asked";

  static ask(question: Question, turn: Turn): Verdict | Promise<Verdict> {
    const asking = new Asking(question, turn);
    try {
      const answer = question.seat.ask(question.request, asking);
      if (isThenable(answer)) return asking.#wait(answer);
      asking.#end("answered");
      return asking.#judge(answer);
    } catch (error) {
      asking.#end("answered");
      return verdictOfThrown(error);
    }
  }

  private constructor({ mode, seat, request, askedMs }: Question, turn: Turn) {
    this.mode = mode;
    this.#seat = seat;
    this.#request = request;
    this.#turn = turn;
    this.#startMs = askedMs;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#state === "given up") controller.abort();
      if (this.#state === "asked") this.#onTurnAbort(() => controller.abort());
    }
    return this.#controller.signal;
  }

  #wait(pending: PromiseLike<unknown>): Promise<Verdict> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const fail = (error: unknown): void => this.#settle(verdictOfThrown(error), "answered");
      try {
        Promise.resolve(pending).then((answer) => this.#settle(this.#judge(answer), "answered"), fail);
      } catch (error) {
        fail(error);
      }
      void SETTLED.then(() => {
        if (this.#state === "asked") void SETTLED.then(() => this.#watch());
      });
    });
  }

  #watch(): void {
    if (this.#state !== "asked") return;
    const { clock } = this.#turn;
    const { timeoutMs } = this.#seat;
    if (isAborted(this.#turn)) this.#giveUp(aborted());
    else this.#onTurnAbort(() => this.#giveUp(aborted()));
    if (this.#state === "asked" && timeoutMs !== undefined) {
      this.#undo.push(clock.alarm(timeoutMs, () => this.#giveUp(timedOut(timeoutMs))));
    }
  }

  /** Answers for the participant, which then learns that nobody waits any more. */
  #giveUp(verdict: Verdict): void {
    this.#settle(verdict, "given up");
    this.#controller?.abort();
  }

  #settle(verdict: Verdict, state: "answered" | "given up"): void {
    if (this.#state !== "asked") return;
    this.#end(state);
    this.#resolve?.(verdict);
  }

  /** A participant that blocked the thread past its deadline is late, and in an aborted turn nobody allows anything. */
  #judge(answer: unknown): Verdict {
    if (isAborted(this.#turn)) return aborted();
    const { timeoutMs } = this.#seat;
    if (timeoutMs !== undefined && this.#turn.clock.monotonicMs() - this.#startMs > timeoutMs) {
      return timedOut(timeoutMs);
    }
    return judgeAnswer(answer, this.#request.event);
  }

  #onTurnAbort(react: () => void): void {
    for (const signal of this.#turn.signals) this.#undo.push(onAbort(signal, react));
  }

  #end(state: "answered" | "given up"): void {
    this.#state = state;
    for (const step of this.#undo) step();
  }
}

function aborted(): Verdict {
  return broken("aborted", "was cut off because the turn was aborted");
}

function timedOut(timeoutMs: number): Verdict {
  return broken("timed_out", `did not answer within ${timeoutMs}ms`);
}
