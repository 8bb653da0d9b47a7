import { spawn, type ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@basis/core";

/** A program to talk to. */
export interface ServerProgram {
  /** An absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Hears a running program. Nothing comes after `ended`. */
export interface ProgramListener {
  output(chunk: Buffer): void;
  /** It closed its output, or could not be started. */
  ended(reason: string): void;
}

/** A running program. */
export interface RunningProgram {
  /** Resolves when the text was handed over; rejects where the program does not read. */
  write(text: string): Promise<void>;
  /** The end of what it printed as errors. */
  errorTail(): string;
  /** Ends its input, and after a moment all of its processes. */
  stop(): Promise<void>;
}

/** Starts a program; the port that every way of starting fits. */
export type StartProgram = (
  program: ServerProgram,
  listener: ProgramListener,
  clock: Clock,
) => RunningProgram;

const MAX_TAIL = 8 * 1024;
/** Most bytes that wait for the program to read them. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** How long a program may take to end by itself once its input has ended. */
const END_MS = 1_000;
const TERM_MS = 500;
const DRAIN_MS = 50;

/**
 * Leads the program's process group and outlives it, so that the group's number stays its own. A line on descriptor 3
 * asks all of them to end; its end, also by the host's death, kills them, and so does the program's own end.
 */
const LEADER = `exec 4<&0 5>&1 6>&2
( "$@" <&4 >&5 2>&6 3<&- 4<&- 5>&- 6>&-; kill -KILL 0 ) 3<&- &
trap : TERM INT HUP
exec </dev/null >/dev/null 2>&1 4<&- 5>&- 6>&-
while read -r _ <&3; do kill -TERM 0; done
kill -KILL 0`;

/** Starts a program in a process group of its own, which dies with this process however that ends. */
export const startProgram: StartProgram = ({ program, args, cwd, env }, listener, clock) => {
  const child =
    process.platform === "win32"
      ? spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true })
      : spawn("/bin/sh", ["-c", LEADER, "basis-mcp", program, ...args], {
          cwd,
          env,
          detached: true,
          stdio: ["pipe", "pipe", "pipe", "pipe"],
        });
  return new LedProgram(child, listener, clock);
};

/** The end of a text, from the beginning of a line on: half a line might hold half a secret, which nobody would know. */
function tailOf(text: string): string {
  if (text.length <= MAX_TAIL) return text;
  const end = text.slice(-MAX_TAIL);
  return end.slice(end.indexOf("\n") + 1);
}

class LedProgram implements RunningProgram {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #ended: Promise<void>;
  #tail = "";

  constructor(child: ChildProcess, listener: ProgramListener, clock: Clock) {
    this.#child = child;
    this.#clock = clock;
    this.#ended = this.#listen(listener);
  }

  write(text: string): Promise<void> {
    if (this.#input.writableLength > MAX_UNREAD_BYTES)
      return Promise.reject(new Error("it does not read what it is sent"));
    return new Promise((resolve, reject) => {
      this.#input.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  errorTail(): string {
    return this.#tail;
  }

  async stop(): Promise<void> {
    this.#input.end();
    await this.#within(END_MS);
    if (process.platform === "win32") this.#child.kill();
    else await this.#endGroup();
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  /** The output's end tells that the program ended; the leader is there until it is told. */
  #listen(listener: ProgramListener): Promise<void> {
    const { stdout, stderr } = this.#child;
    stdout!.on("data", (chunk: Buffer) => listener.output(chunk));
    stderr!.on("data", (chunk: Buffer) => {
      this.#tail = tailOf(this.#tail + chunk.toString("utf8"));
    });
    for (const stream of this.#child.stdio) stream?.on("error", () => undefined);
    return new Promise((resolve) => {
      let over = false;
      const end = (reason: string): void => {
        resolve();
        if (!over) listener.ended(reason);
        over = true;
      };
      this.#child.once("error", (error) => end(`it could not be started: ${error.message}`));
      stdout!.once("close", () => {
        const endNow = (): void => end("it closed its output");
        // What it printed as errors just before may still come. An alarm alone would not keep this process alive.
        if (stderr!.closed) return endNow();
        stderr!.once("close", endNow);
        this.#clock.alarm(DRAIN_MS, endNow);
      });
    });
  }

  /** Signals the group only while its leader is there to hold its number. */
  async #endGroup(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      return;
    this.#control.write("end\n");
    await this.#within(TERM_MS);
    this.#control.end();
    await gone;
  }

  #within(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#clock.alarm(ms, resolve);
      void this.#ended.then(() => {
        stop();
        resolve();
      });
    });
  }

  get #input(): Writable {
    return this.#child.stdin!;
  }

  get #control(): Writable {
    return this.#child.stdio[3] as Readable & Writable;
  }
}
