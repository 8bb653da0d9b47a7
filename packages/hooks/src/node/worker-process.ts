import type { Clock } from "@basis/core";
import { STDERR_TAIL_BYTES, type Program } from "../process/command.ts";
import { OutputTail } from "../process/command-output.ts";
import { DirectChild, type ChildEnd } from "../process/direct-child.ts";
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

/** Starts a worker in a process group of its own. It does not keep the host alive. */
export function startWorkerProcess(program: WorkerProgram, listener: WorkerListener): WorkerProcess {
  return new ChildWorker(program, listener);
}

class ChildWorker implements WorkerProcess {
  readonly ended: Promise<void>;
  readonly #child: DirectChild;
  readonly #lines = new LineCutter(MAX_ANSWER_BYTES);
  readonly #stderr = new OutputTail(STDERR_TAIL_BYTES);
  #listener: WorkerListener | undefined;
  #resolveEnded: () => void = () => undefined;
  #callOff: () => void = () => undefined;

  constructor(program: WorkerProgram, listener: WorkerListener) {
    this.#listener = listener;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    this.#child = new DirectChild(program, this, { clock: program.clock, stdin: "pipe" });
    this.#child.keepAlive(false);
  }

  send(line: string): void {
    this.#child.send(line);
  }

  kill(): void {
    if (this.#listener === undefined) return;
    this.#listener = undefined;
    this.#child.keepAlive(true);
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
