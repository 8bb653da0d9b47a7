import { manualClock, type ManualClock } from "@basis/core/testing";
import { HookError, type HookAnswer } from "../../src/index.ts";
import { HookWorker } from "../../src/node/hook-worker.ts";
import type { WorkerListener, WorkerProcess } from "../../src/node/worker-process.ts";
import { agree, referenceLine, type ReferenceAnswer } from "./reference-answer.ts";

/** A question, what the reference lets stand as its answer, and what the worker made of it. */
export interface StagedQuestion {
  readonly turn: AbortController;
  /** The first answer that came for it by the rules, if any. */
  reference: { readonly answer: ReferenceAnswer | undefined } | undefined;
  result: { readonly answer: HookAnswer } | { readonly code: string } | undefined;
}

interface SentLine {
  readonly id: string;
  readonly deadline_ms: number;
  readonly request: { readonly question: number };
}

/** A process that prints what it is told to, and beside it what the protocol makes of that. */
export class StagedProcess implements WorkerProcess {
  readonly ended: Promise<void>;
  /** The open questions by id, as the protocol sees them. */
  readonly open = new Map<string, StagedQuestion>();
  /** Every id that it was ever sent. */
  readonly ids: string[] = [];
  isKilled = false;
  isGreeted = false;
  readonly #listener: WorkerListener;
  readonly #questions: readonly StagedQuestion[];
  readonly #clock: ManualClock;
  /** By when each question must have been answered. */
  readonly #dueMs = new Map<string, number>();
  #hasExited = false;
  #end: () => void = () => undefined;

  constructor(listener: WorkerListener, { questions, clock }: Pick<WorkerStage, "questions" | "clock">) {
    this.#listener = listener;
    this.#questions = questions;
    this.#clock = clock;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  send(line: string): void {
    const { id, deadline_ms, request } = JSON.parse(line) as SentLine;
    this.#dueMs.set(id, this.#clock.monotonicMs() + deadline_ms);
    const question = this.#questions[request.question];
    if (question === undefined || this.ids.includes(id)) throw new Error("an id was used twice");
    if (this.#hasExited || this.isKilled) throw new Error("it is asked although it has ended");
    this.ids.push(id);
    this.open.set(id, question);
  }

  kill(): void {
    this.isKilled = true;
    this.#end();
  }

  /** Prints one line. Throws when the worker goes on after a breach, or is killed for a line that is none. */
  printLine(bytes: Buffer): void {
    if (this.isKilled) return;
    const isBreach = this.#note(bytes);
    this.#listener.onLine(bytes);
    if (this.isKilled !== isBreach) {
      throw new Error(
        `${isBreach ? "goes on after" : "is killed for"} ${JSON.stringify(bytes.toString("latin1"))}`,
      );
    }
  }

  /** Exits; what it had printed before may still come. */
  exit(): void {
    if (this.isKilled || this.#hasExited) return;
    this.#hasExited = true;
    this.#listener.onExit();
  }

  /** Nothing of it is left. */
  end(exitCode: number): void {
    this.exit();
    if (this.isKilled) return;
    this.isKilled = true;
    this.#end();
    this.#listener.onEnd({ kind: "exited", exitCode, stderr: "" });
  }

  overflow(): void {
    if (!this.isKilled) this.#listener.onOverflow();
  }

  /** What the protocol makes of a line; true for a breach. */
  #note(bytes: Buffer): boolean {
    const line = referenceLine(bytes);
    if (line.kind === "hello" && !this.isGreeted) {
      this.isGreeted = true;
      return false;
    }
    const question = line.kind === "answer" && this.isGreeted ? this.open.get(line.id) : undefined;
    if (line.kind !== "answer" || question === undefined) return true;
    const dueMs = this.#dueMs.get(line.id) ?? 0;
    const isWaitedFor = question.result === undefined && !question.turn.signal.aborted;
    if (isWaitedFor && this.#clock.monotonicMs() > dueMs) return true;
    this.open.delete(line.id);
    question.reference ??= { answer: line.answer };
    return false;
  }
}

/** A worker whose processes and time are in a test's hands. */
export class WorkerStage {
  readonly clock: ManualClock = manualClock();
  readonly questions: StagedQuestion[] = [];
  readonly processes: StagedProcess[] = [];
  readonly worker: HookWorker = new HookWorker({
    clock: this.clock,
    start: (listener) => {
      const process = new StagedProcess(listener, this);
      this.processes.push(process);
      return process;
    },
    onUnasked: () => undefined,
  });

  /** The newest process, whether it still runs or not. */
  get process(): StagedProcess | undefined {
    return this.processes.at(-1);
  }

  ask(timeoutMs: number): void {
    const question: StagedQuestion = { turn: new AbortController(), reference: undefined, result: undefined };
    const text = JSON.stringify({ question: this.questions.push(question) - 1 });
    void this.worker.ask({ text, timeoutMs, signal: question.turn.signal }).then(
      (answer) => (question.result = { answer }),
      (error: unknown) => (question.result = { code: HookError.is(error) ? error.code : String(error) }),
    );
  }
}

const CODES = [
  "aborted",
  "exited",
  "invalid_answer",
  "not_started",
  "output_too_large",
  "silent",
  "timed_out",
];

/** What is wrong with how a question ended; undefined when it is right. */
export function problemOf({ result, reference }: StagedQuestion): string | undefined {
  if (result === undefined) return "it was never settled";
  if (!("answer" in result)) {
    if (!CODES.includes(result.code)) return `it failed with ${result.code}`;
    const isLost = reference?.answer !== undefined && !["aborted", "timed_out"].includes(result.code);
    return isLost ? `it failed with ${result.code} although it was answered` : undefined;
  }
  if (reference === undefined) return `${JSON.stringify(result.answer)} is nobody's answer`;
  return agree(result.answer, reference.answer)
    ? undefined
    : `${JSON.stringify(result.answer)} is another answer`;
}
