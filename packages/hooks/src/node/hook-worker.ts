import { randomUUID } from "node:crypto";
import type { Clock } from "@basis/core";
import type { HookAnswer } from "../hook-decision.ts";
import { HookError, type FailureCode } from "../hook-error.ts";
import {
  endedUnanswered,
  failure,
  invalidAnswer,
  notStarted,
  outputTooLarge,
  timedOut,
} from "./hook-failure.ts";
import { LoopHold } from "../process/loop-hold.ts";
import { RestartDelay } from "./restart-delay.ts";
import { decodeWorkerLine, encodeWorkerRequest, type WorkerLine } from "./worker-line.ts";
import type { StartWorker, WorkerEnd, WorkerProcess } from "./worker-process.ts";
import { cutOff, WorkerQuestion, type WorkerAsk } from "./worker-question.ts";

/** How often a question is sent at most: to the worker, and to the one started after that had to be killed for another. */
const MAX_TIMES_SENT = 2;

type WorkerFailure = HookError<FailureCode>;

/** What a worker needs from its surroundings. */
export interface WorkerPorts {
  readonly start: StartWorker;
  readonly clock: Clock;
  /** Told of a failure that there was no question to fail with. */
  onUnasked(failure: WorkerFailure): void;
}

/** One process of the worker, from its start on. */
interface Session {
  readonly process: WorkerProcess;
  /** The questions it was sent and has not answered, by id; settled ones among them when their turns were aborted. */
  readonly inFlight: Map<string, WorkerQuestion>;
  state: "starting" | "ready" | "exited";
  greeted: boolean;
}

/** A worker across its processes: starts one when asked, shares it between questions, and replaces it when it fails. */
export class HookWorker {
  readonly #ports: WorkerPorts;
  readonly #hold = new LoopHold();
  readonly #delay: RestartDelay;
  /** Asked and not sent yet, in order. */
  readonly #waiting = new Set<WorkerQuestion>();
  #session: Session | undefined;
  #isClosed = false;

  constructor(ports: WorkerPorts) {
    this.#ports = ports;
    this.#delay = new RestartDelay(ports.clock);
  }

  /** Rejects with a `HookError` that says in words why there is no answer. */
  ask(asked: WorkerAsk): Promise<HookAnswer> {
    if (this.#isClosed || asked.signal.aborted) return Promise.reject(cutOff());
    if (this.#session === undefined && this.#delay.leftMs >= asked.timeoutMs) {
      const times = this.#delay.failures;
      return Promise.reject(notStarted(`it failed ${times} times in a row and is not started again so soon`));
    }
    const question = new WorkerQuestion(asked, this.#ports.clock);
    this.#hold.until(question.answer);
    this.#startDeadline(question);
    if (this.#session?.state === "ready") this.#send(this.#session, question);
    else this.#wait([question]);
    return question.answer;
  }

  /** Kills the process; whoever still asks is cut off. */
  close(): void {
    this.#isClosed = true;
    this.#delay.cancel();
    for (const question of [...this.#part(this.#session), ...this.#takeWaiting()]) question.fail(cutOff());
  }

  #startDeadline(question: WorkerQuestion): void {
    question.startDeadline(() => this.#onExpired(question));
  }

  #wait(questions: readonly WorkerQuestion[]): void {
    for (const question of questions) this.#waiting.add(question);
    if (this.#waiting.size === 0 || this.#session !== undefined || this.#isClosed) return;
    this.#delay.afterwards(() => this.#start());
  }

  #start(): void {
    for (const question of this.#waiting) {
      if (!question.isSettled) continue;
      this.#waiting.delete(question);
      question.stopDeadline();
    }
    if (this.#waiting.size === 0) return;
    try {
      const process = this.#ports.start({
        onLine: (line) => this.#onLine(session, line),
        onOverflow: () => this.#onBreach(session, outputTooLarge()),
        onExit: () => (session.state = "exited"),
        onEnd: (end) => this.#onEnd(session, end),
      });
      const session: Session = { process, inFlight: new Map(), state: "starting", greeted: false };
      this.#session = session;
    } catch (error) {
      const why = HookError.is(error) ? error : notStarted((error as Error).message);
      for (const question of this.#takeWaiting()) question.fail(why);
    }
  }

  #send({ process, inFlight }: Session, question: WorkerQuestion): void {
    const id = randomUUID();
    question.timesSent += 1;
    inFlight.set(id, question);
    process.send(encodeWorkerRequest(id, question.msLeft, question.text));
  }

  #onLine(session: Session, bytes: Buffer): void {
    const line = decodeWorkerLine(bytes);
    if (line.kind === "hello" && !session.greeted) {
      this.#onHello(session);
      return;
    }
    const question = line.kind === "answer" && session.greeted ? session.inFlight.get(line.id) : undefined;
    if (line.kind !== "answer" || question === undefined) {
      this.#onBreach(session, invalidAnswer(problemOf(line, session), bytes.toString("utf8")));
      return;
    }
    if (!question.isSettled && question.isLate) {
      this.#onExpired(question);
      return;
    }
    session.inFlight.delete(line.id);
    question.stopDeadline();
    this.#delay.reset();
    if (line.check.ok) question.resolve(line.check.answer);
    else question.fail(invalidAnswer(line.check.problem, bytes.toString("utf8")));
  }

  #onHello(session: Session): void {
    session.greeted = true;
    if (session.state !== "starting") return;
    session.state = "ready";
    for (const question of this.#waiting) {
      this.#waiting.delete(question);
      if (question.isSettled) question.stopDeadline();
      else if (question.isLate) question.fail(timedOut(question.timeoutMs));
      else this.#send(session, question);
    }
  }

  /** The worker broke the protocol: nothing that it says is believed any more. */
  #onBreach(session: Session, why: WorkerFailure): void {
    this.#delay.note();
    this.#failOwed(session, why);
  }

  #onEnd(session: Session, end: WorkerEnd): void {
    if (end.kind === "not_started") {
      this.#failOwed(session, notStarted(end.error.message));
      return;
    }
    const isFailed = end.exitCode !== 0 || session.inFlight.size > 0 || !session.greeted;
    if (isFailed) this.#delay.note();
    this.#failOwed(session, isFailed ? endedUnanswered(end.exitCode, end.stderr) : undefined);
  }

  /** Parts with a process for good and fails what it owed; without a reason it owed nothing. */
  #failOwed(session: Session, why: WorkerFailure | undefined): void {
    const owed = this.#part(session).filter((question) => !question.isSettled);
    if (why !== undefined && owed.length === 0) this.#ports.onUnasked(why);
    if (why !== undefined) failOnceEnded(session, owed, why);
    this.#wait([]);
  }

  /** Kills a worker that is late; what else it was asked is asked once more, of the one that is then started. */
  #onExpired(question: WorkerQuestion): void {
    const session = this.#session;
    const isUnsent = this.#waiting.delete(question);
    const isOwed = session !== undefined && [...session.inFlight.values()].includes(question);
    if (!isOwed && (!isUnsent || session === undefined || session.greeted)) {
      question.fail(timedOut(question.timeoutMs));
      return;
    }
    if (!session.greeted) this.#delay.note();
    const others = this.#kill(session).filter((other) => other !== question);
    failOnceEnded(session, [question], timedOut(question.timeoutMs));
    this.#wait(others.filter((other) => this.#mayAskAgain(other, session)));
  }

  #mayAskAgain(question: WorkerQuestion, session: Session): boolean {
    const { isOverdue } = question;
    question.stopDeadline();
    if (question.isSettled) return false;
    if (!isOverdue && question.timesSent < MAX_TIMES_SENT) {
      this.#startDeadline(question);
      return true;
    }
    const twice = "was killed twice while it was asked, for other requests that it did not answer in time";
    const why = isOverdue ? timedOut(question.timeoutMs) : failure("timed_out", twice);
    failOnceEnded(session, [question], why);
    return false;
  }

  /** Kills a process and takes what it was sent. */
  #kill(session: Session): readonly WorkerQuestion[] {
    this.#session = undefined;
    session.process.kill();
    const owed = [...session.inFlight.values()];
    session.inFlight.clear();
    return owed;
  }

  /** Parts with a process and takes all that it owed: without a hello also what it would have been sent. */
  #part(session: Session | undefined): readonly WorkerQuestion[] {
    if (session === undefined) return [];
    const owed = this.#kill(session);
    for (const question of owed) question.stopDeadline();
    return session.greeted ? owed : [...owed, ...this.#takeWaiting()];
  }

  #takeWaiting(): readonly WorkerQuestion[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const question of waiting) question.stopDeadline();
    return waiting;
  }
}

function problemOf(line: WorkerLine, session: Session): string {
  if (line.kind === "foreign") return line.problem;
  if (line.kind === "hello") return "it is a second hello";
  return session.greeted ? "its id is of no open request" : "it came before the hello";
}

/** A denial is told when nothing of the program is left that could still act. */
function failOnceEnded(session: Session, questions: readonly WorkerQuestion[], why: Error): void {
  void session.process.ended.then(() => {
    for (const question of questions) question.fail(why);
  });
}
