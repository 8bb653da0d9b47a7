import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { closeSync } from "node:fs";
import { inject } from "vitest";
import { eventSchema, type BasisEvent, type EventType } from "../../../src/events/event-schema.ts";

const MORE_THAN_A_PIPE = 1024 * 1024;

/** The built entry: what the setup of tests that start processes has joined from dist. */
export const entry: string = inject("basisEntry" as never);

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What standard input holds; without it, it is empty. `null` leaves it open without a word. */
  readonly stdin?: string | Buffer | null;
  /** Another entry than the built one. */
  readonly entry?: string;
  /** A command that starts the one that follows it, under the same process id. */
  readonly through?: readonly string[];
}

/** A command line that has ended. */
export class Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;

  constructor(how: { code: number | null; signal: string | null; stdout: string; stderr: string }) {
    this.code = how.code;
    this.signal = how.signal;
    this.stdout = how.stdout;
    this.stderr = how.stderr;
  }

  /** Standard output as events, each of which must fit the schema. */
  events(): readonly BasisEvent[] {
    return this.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => eventSchema.parse(JSON.parse(line)));
  }

  event<T extends EventType>(type: T): Extract<BasisEvent, { type: T }> {
    const found = this.events().find((event) => event.type === type);
    if (found === undefined) throw new Error(`no ${type} in: ${this.stdout}\n${this.stderr}`);
    return found as Extract<BasisEvent, { type: T }>;
  }
}

/** A command line that is running. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves once both streams together hold the text; rejects when it ends without. */
  saw(text: string): Promise<void>;
  /** Resolves with the first match in what it wrote to standard output; rejects when it ends without. */
  line(pattern: RegExp): Promise<string>;
  /** Resolves once what it wrote to standard output is so; rejects when it ends before. */
  until(has: (stdout: string) => boolean): Promise<void>;
  /** Writes to its standard input, which has to be open (`stdin: null`). */
  write(text: string): void;
  /** Calls `act` with each piece that it writes to standard error. */
  hear(act: (text: string) => void): void;
  kill(signal: NodeJS.Signals): void;
  /** Writes more than a pipe holds to its standard input; resolves once it has begun to read. */
  feed(): Promise<void>;
  /** Closes the reading end of its standard output. */
  closeOutput(): void;
}

export function startBasis(
  argv: readonly string[],
  { cwd, env, stdin = "", through = [], entry: main = entry }: StartOptions,
): Running {
  const [program, ...args] = [...through, process.execPath, main, ...argv];
  const child = spawn(program!, args, { cwd, env });
  child.stdin.on("error", () => undefined);
  if (stdin !== null) child.stdin.end(stdin);
  const watch = new Watch(child);
  return {
    pid: child.pid!,
    ended: watch.ended,
    saw: (text) => watch.saw(text),
    line: (pattern) => watch.line(pattern),
    until: (has) => watch.until(has),
    write: (text) => void child.stdin.write(text),
    hear: (act) => void child.stderr.on("data", act),
    kill: (signal) => void child.kill(signal),
    feed: () => new Promise((resolve) => child.stdin.write("x".repeat(MORE_THAN_A_PIPE), () => resolve())),
    closeOutput: () => void child.stdout.destroy(),
  };
}

/** Runs it with a descriptor as its standard output. */
export function runInto(
  output: number,
  argv: readonly string[],
  { cwd, env }: Pick<StartOptions, "cwd" | "env">,
): Promise<Pick<Ended, "code" | "stderr">> {
  const child = spawn(process.execPath, [entry, ...argv], { cwd, env, stdio: ["ignore", output, "pipe"] });
  closeSync(output);
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr })));
}

/** Collects what a process prints, and tells when it has printed something. */
class Watch {
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  readonly #waiting = new Set<() => void>();
  #over = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(() => (this.#stdout += text)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#hear(() => (this.#stderr += text)));
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject).once("close", (code, signal) => {
        this.#hear(() => (this.#over = true));
        resolve(new Ended({ code, signal, stdout: this.#stdout, stderr: this.#stderr }));
      });
    });
  }

  async saw(text: string): Promise<void> {
    await this.#until(() => (this.#stdout + this.#stderr).includes(text), text);
  }

  async line(pattern: RegExp): Promise<string> {
    await this.#until(() => pattern.test(this.#stdout), pattern.source);
    return pattern.exec(this.#stdout)![0];
  }

  async until(has: (stdout: string) => boolean): Promise<void> {
    await this.#until(() => has(this.#stdout), "what is waited for");
  }

  async #until(has: () => boolean, what: string): Promise<void> {
    while (!has()) {
      if (this.#over) throw new Error(`it ended without saying "${what}": ${this.#stdout}\n${this.#stderr}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #hear(change: () => void): void {
    change();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
