import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Clock } from "@basis/core";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import { OutputTail } from "./command-output.ts";
import { ProcessGroup } from "./process-group.ts";
import { afterPending, DRAIN_MS, STDERR_TAIL_BYTES } from "./run-command.ts";
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
export interface WorkerProgram {
  /** The file to execute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Starts a worker in a process group of its own. It does not keep the host alive. */
export function startWorkerProcess(program: WorkerProgram, listener: WorkerListener): WorkerProcess {
  return new ChildWorker(program, listener);
}

class ChildWorker implements WorkerProcess {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #group: ProcessGroup | undefined;
  readonly #lines = new LineCutter(MAX_ANSWER_BYTES);
  readonly #stderr = new OutputTail(STDERR_TAIL_BYTES);
  #listener: WorkerListener | undefined;
  #resolveEnded: () => void = () => undefined;
  #callOff: () => void = () => undefined;
  #hasExited = false;

  constructor({ program, args, cwd, env, clock }: WorkerProgram, listener: WorkerListener) {
    this.#listener = listener;
    this.#clock = clock;
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const child = spawn(program, args, {
      cwd,
      env,
      detached: process.platform !== "win32",
      shell: false,
      windowsHide: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child = child;
    if (child.pid !== undefined) this.#group = new ProcessGroup(child);
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref();
    this.#listen(child);
  }

  send(line: string): void {
    this.#child.stdin?.write(line);
  }

  kill(): void {
    if (this.#listener === undefined) return;
    this.#listener = undefined;
    if (this.#group === undefined || this.#hasExited) {
      this.#settle();
      return;
    }
    this.#child.ref();
    this.#child.stdin?.destroy();
    this.#callOff = this.#group.terminate(this.#clock, () => this.#settle());
  }

  #listen(child: ChildProcess): void {
    // A worker that no longer reads is about to end or past its deadline soon; either is told.
    child.stdin?.on("error", () => undefined);
    child.stdout?.on("data", (chunk: Buffer) => this.#onPrinted(chunk));
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    child.on("error", (error) => {
      if (child.pid === undefined) this.#end({ kind: "not_started", error });
    });
    child.on("exit", (exitCode) => this.#onExit(exitCode));
  }

  #onPrinted(chunk: Buffer): void {
    if (this.#listener === undefined) return;
    const { lines, isOver } = this.#lines.take(chunk);
    for (const line of lines) this.#listener?.onLine(line);
    if (isOver) this.#listener?.onOverflow();
  }

  #onExit(exitCode: number | null): void {
    this.#hasExited = true;
    this.#group?.end();
    this.#callOff();
    if (this.#listener === undefined) {
      this.#settle();
      return;
    }
    this.#listener.onExit();
    const finish = (): void => this.#end({ kind: "exited", exitCode, stderr: this.#stderr.text() });
    this.#child.on("close", finish);
    this.#callOff = this.#clock.alarm(DRAIN_MS, () => afterPending(finish));
  }

  #end(end: WorkerEnd): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#settle();
    listener?.onEnd(end);
  }

  #settle(): void {
    this.#callOff();
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    this.#resolveEnded();
  }
}
