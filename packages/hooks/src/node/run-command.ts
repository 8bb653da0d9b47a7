import { spawn, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { onAbort, type Clock } from "@basis/core";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import { CappedOutput, OutputTail } from "./command-output.ts";
import { ProcessGroup } from "./process-group.ts";
import { openRequestFile } from "./request-file.ts";

/** Bytes of its error output that are kept, the last ones. */
export const STDERR_TAIL_BYTES = 2048;
/** How long its output is still read after it has exited. */
export const DRAIN_MS = 50;

/** One process to run. */
export interface CommandRequest {
  /** The file to execute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Covers start, run and read. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** How a process ended. Only `exited` has an answer to read. */
export type CommandEnd =
  | { readonly kind: "not_started"; readonly error: Error }
  | { readonly kind: "timed_out" | "aborted" | "output_too_large" }
  | {
      readonly kind: "exited";
      /** Null when a signal ended it. */
      readonly exitCode: number | null;
      /** `exact` is false when the program printed something that is no UTF-8. */
      readonly stdout: { readonly text: string; readonly exact: boolean };
      readonly stderr: string;
    };

/**
 * Runs one program in a process group of its own and answers when it has exited, not when its pipes close.
 * At the deadline, on abort and when it prints too much the whole group is killed (TERM, after 500 ms KILL); what a
 * program leaves behind when it exits is killed as well. Never rejects.
 */
export function runCommand(request: CommandRequest): Promise<CommandEnd> {
  if (request.signal.aborted) return Promise.resolve({ kind: "aborted" });
  return new Promise((resolve) => new RunningCommand(request, resolve).start());
}

class RunningCommand {
  readonly #request: CommandRequest;
  readonly #resolve: (end: CommandEnd) => void;
  readonly #stdout = new CappedOutput(MAX_ANSWER_BYTES);
  readonly #stderr = new OutputTail(STDERR_TAIL_BYTES);
  #undo: (() => void)[] = [];
  #child: ChildProcess | undefined;
  #group: ProcessGroup | undefined;
  #hasExited = false;
  #cutOff: "timed_out" | "aborted" | "output_too_large" | undefined;

  constructor(request: CommandRequest, resolve: (end: CommandEnd) => void) {
    this.#request = request;
    this.#resolve = resolve;
  }

  start(): void {
    const { clock, signal, timeoutMs } = this.#request;
    this.#undo.push(clock.alarm(timeoutMs, () => afterPending(() => this.#cut("timed_out"))));
    this.#undo.push(onAbort(signal, () => this.#cut("aborted")));
    try {
      this.#listen(this.#spawn());
    } catch (error) {
      this.#settle({ kind: "not_started", error: error as Error });
    }
  }

  #spawn(): ChildProcess {
    const { program, args, cwd, env, stdin } = this.#request;
    const descriptor = openRequestFile(`${stdin}\n`);
    try {
      const child = spawn(program, args, {
        cwd,
        env,
        detached: process.platform !== "win32",
        shell: false,
        windowsHide: true,
        stdio: [descriptor ?? "pipe", "pipe", "pipe"],
      });
      // A program may answer without reading: then the pipe breaks, and that is fine.
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(`${stdin}\n`);
      return child;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  #listen(child: ChildProcess): void {
    this.#child = child;
    if (child.pid !== undefined) this.#group = new ProcessGroup(child);
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!this.#stdout.add(chunk)) this.#cut("output_too_large");
    });
    child.stderr?.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    child.on("error", (error) => {
      if (child.pid === undefined) this.#settle({ kind: "not_started", error });
    });
    child.on("exit", (exitCode) => this.#onExit(child, exitCode));
  }

  /** Asks the group to end, and makes it. The answer comes with the leader's exit. */
  #cut(why: "timed_out" | "aborted" | "output_too_large"): void {
    if (this.#cutOff !== undefined || this.#group === undefined) return;
    if (this.#hasExited && why === "timed_out") return;
    this.#cutOff = why;
    // A process that the kernel cannot end must not hold up the call.
    this.#undo.push(this.#group.terminate(this.#request.clock, () => this.#settle({ kind: why })));
  }

  #onExit(child: ChildProcess, exitCode: number | null): void {
    this.#hasExited = true;
    this.#group?.end();
    if (this.#cutOff !== undefined) {
      this.#settle({ kind: this.#cutOff });
      return;
    }
    const finish = (): void =>
      this.#settle(
        this.#cutOff === undefined
          ? { kind: "exited", exitCode, stdout: this.#stdout.text(), stderr: this.#stderr.text() }
          : { kind: this.#cutOff },
      );
    child.on("close", finish);
    this.#undo.push(this.#request.clock.alarm(DRAIN_MS, () => afterPending(finish)));
  }

  #settle(end: CommandEnd): void {
    for (const step of this.#undo.splice(0)) step();
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    this.#resolve(end);
  }
}

/**
 * Acts once the event loop has handled what had arrived before a timer rang: where something held the thread, an
 * answer that came in time is not taken for a late one, or for half of one.
 */
export function afterPending(act: () => void): void {
  setImmediate(act);
}
