import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Clock } from "@basis/core";
import { afterPending, DRAIN_MS, type Program } from "./command.ts";
import { ProcessGroup } from "./process-group.ts";
import { terminate } from "./termination.ts";

/** How a child ended. Of an exit exactly one of code and signal is set. */
export type ChildEnd =
  | { readonly kind: "not_started"; readonly error: Error }
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly exitSignal: string | null };

/** What a child does, told in order and never while it is being started. */
export interface ChildListener {
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** It has exited; what it had printed before may still come. */
  onExit?(): void;
  /** It has exited and its output was read, or it never began. */
  onEnd(end: ChildEnd): void;
}

/** Where a child's input comes from: nowhere, a pipe to `send` to, or a descriptor of this process. */
export type ChildInput = "ignore" | "pipe" | number;

/**
 * A program that this process starts itself, in a process group of its own. The end comes with its exit and a short
 * drain, not when its pipes close: somebody else may hold them. What it left behind in its group is killed.
 */
export class DirectChild {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #listener: ChildListener;
  readonly #group: ProcessGroup | undefined;
  #callOff: () => void = () => undefined;
  #isCut = false;
  #isDone = false;

  /** Throws what kept the program from starting, where that is known at once. */
  constructor(
    program: Program,
    listener: ChildListener,
    { clock, stdin }: { readonly clock: Clock; readonly stdin: ChildInput },
  ) {
    this.#clock = clock;
    this.#listener = listener;
    this.#child = spawn(program.program, program.args, {
      cwd: program.cwd,
      env: program.env,
      detached: process.platform !== "win32",
      shell: false,
      windowsHide: true,
      stdio: [stdin, "pipe", "pipe"],
    });
    if (this.#child.pid !== undefined) this.#group = new ProcessGroup(this.#child.pid);
    this.#listen(this.#child);
  }

  /** Writes to its input. A program may end without reading: then the pipe breaks, and that is fine. */
  send(text: string): void {
    this.#child.stdin?.write(text);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Breaks the pipe of its input, with what it has not read of it. */
  breakInput(): void {
    this.#child.stdin?.destroy();
  }

  /** Asks its group to end, and kills it 500 ms later; the end then comes with the exit, without a drain. */
  terminate(onStuck: () => void): () => void {
    this.#isCut = true;
    const signal = (name: "SIGTERM" | "SIGKILL"): void => this.#group?.kill(name);
    return terminate(signal, { clock: this.#clock, onStuck });
  }

  /** Whether a running child keeps this process alive; at first it does. */
  keepAlive(isKept: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    if (isKept) this.#child.ref();
    else this.#child.unref();
    if (isKept) return;
    for (const stream of [stdin, stdout, stderr]) (stream as Socket | null)?.unref();
  }

  /** Lets go of its pipes; nothing is told any more. */
  release(): void {
    this.#isDone = true;
    this.#callOff();
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  }

  #listen(child: ChildProcess): void {
    child.stdin?.on("error", () => undefined);
    child.stdout?.on("data", (chunk: Buffer) => this.#listener.onStdout(chunk));
    child.stderr?.on("data", (chunk: Buffer) => this.#listener.onStderr(chunk));
    child.on("error", (error) => {
      if (child.pid === undefined) this.#end({ kind: "not_started", error });
    });
    child.on("exit", (exitCode, exitSignal) => this.#onExit({ kind: "exited", exitCode, exitSignal }));
  }

  #onExit(end: ChildEnd): void {
    this.#group?.end();
    if (this.#isDone) return;
    this.#listener.onExit?.();
    const finish = (): void => this.#end(end);
    if (this.#isCut) {
      finish();
      return;
    }
    this.#child.on("close", finish);
    this.#callOff = this.#clock.alarm(DRAIN_MS, () => afterPending(finish));
  }

  #end(end: ChildEnd): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#callOff();
    this.#listener.onEnd(end);
  }
}
