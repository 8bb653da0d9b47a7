import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { Clock } from "@basis/core";
import { afterPending, DRAIN_MS, type Program } from "./command.ts";
import type { ChildEnd, ChildListener, PipedChild } from "./piped-child.ts";
import { ProcessGroup } from "./process-group.ts";
import { terminate } from "./termination.ts";

/** Where a child's input comes from: nowhere, a pipe to `send` to, or a descriptor of this process. */
export type ChildInput = "ignore" | "pipe" | number;

/**
 * A program that this process starts itself, in a process group of its own. The end comes with its exit and a short
 * drain, not when its pipes close: somebody else may hold them. What it left behind in its group is killed.
 */
export class DirectChild implements PipedChild {
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

  /** The number of its process group; undefined when it could not be started. */
  get group(): number | undefined {
    return this.#child.pid;
  }

  send(text: string): void {
    this.#child.stdin?.write(text);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  breakInput(): void {
    this.#child.stdin?.destroy();
  }

  terminate(onStuck: () => void): () => void {
    this.#isCut = true;
    const signal = (name: "SIGTERM" | "SIGKILL"): void => this.#group?.kill(name);
    return terminate(signal, { clock: this.#clock, onStuck });
  }

  /** A running child no longer keeps this process alive; at first it does. */
  unref(): void {
    this.#child.unref();
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) (stream as Socket | null)?.unref();
  }

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

/** Starts a child of this process that does not keep it alive. */
export function startDirectChild(program: Program, listener: ChildListener, clock: Clock): PipedChild {
  const child = new DirectChild(program, listener, { clock, stdin: "pipe" });
  child.unref();
  return child;
}
