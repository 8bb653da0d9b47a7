import type { Clock } from "@basis/core";
import { STDERR_TAIL_BYTES, type Program } from "../process/command.ts";
import { OutputTail } from "../process/command-output.ts";
import { LoopHold } from "../process/loop-hold.ts";
import type { ChildEnd, ChildListener, PipedChild, StartPiped } from "../process/piped-child.ts";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import { LineCutter } from "./worker-line.ts";

/** How a worker that nobody killed ended. */
export type WorkerEnd =
  | { readonly kind: "not_started"; readonly error: Error }
  /** `exitCode` is null when a signal ended it. */
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly stderr: string };

/** What a worker does, told in order and never while it is being started. Nothing is told once it was killed. */
export interface WorkerListener {
  onLine(line: Buffer): void;
  /** It printed a longer line than there may be. */
  onOverflow(): void;
  /** It has exited; lines that it had printed before may still come. */
  onExit(): void;
  onEnd(end: WorkerEnd): void;
}

/** A worker that runs, or is about to. */
export interface WorkerProcess {
  /** Settles when nothing of it is left. */
  readonly ended: Promise<void>;
  send(line: string): void;
  /** Kills its group: TERM, after 500 ms KILL. */
  kill(): void;
}

/** Starts a worker. May throw what kept it from starting. */
export type StartWorker = (listener: WorkerListener) => WorkerProcess;

/** The program of a worker. */
export interface WorkerProgram extends Program {
  readonly clock: Clock;
}

/** Starts a worker in a process group of its own. It does not keep the host alive, but its end does. */
export function startWorkerProcess(
  program: WorkerProgram,
  listener: WorkerListener,
  start: StartPiped,
): WorkerProcess {
  return new ChildWorker(listener, (child) => start(program, child, program.clock));
}

class ChildWorker implements WorkerProcess, ChildListener {
  readonly ended: Promise<void>;
  readonly #child: PipedChild;
  readonly #hold = new LoopHold();
  readonly #lines = new LineCutter(MAX_ANSWER_BYTES);
  readonly #stderr = new OutputTail(STDERR_TAIL_BYTES);
  #listener: WorkerListener | undefined;
  #resolveEnded: () => void = () => undefined;
  #callOff: () => void = () => undefined;

  constructor(listener: WorkerListener, start: (child: ChildListener) => PipedChild) {
    this.#listener = listener;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#child = start(this);
  }

  send(line: string): void {
    this.#child.send(line);
  }

  kill(): void {
    if (this.#listener === undefined) return;
    this.#listener = undefined;
    this.#hold.until(this.ended);
    this.#child.breakInput();
    this.#callOff = this.#child.terminate(() => this.#settle());
  }

  onStdout(chunk: Buffer): void {
    if (this.#listener === undefined) return;
    const { lines, isOver } = this.#lines.take(chunk);
    for (const line of lines) this.#listener?.onLine(line);
    if (isOver) this.#listener?.onOverflow();
  }

  onStderr(chunk: Buffer): void {
    this.#stderr.add(chunk);
  }

  onExit(): void {
    this.#listener?.onExit();
  }

  onEnd(end: ChildEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#settle();
    if (end.kind === "not_started") listener?.onEnd(end);
    else listener?.onEnd({ kind: "exited", exitCode: end.exitCode, stderr: this.#stderr.text() });
  }

  #settle(): void {
    this.#callOff();
    this.#child.release();
    this.#resolveEnded();
  }
}
