import { StringDecoder } from "node:string_decoder";
import { childEnvironment, runProgram, type Environment } from "@basis/hooks/process";
import { guardProgram } from "./group-guardian.ts";
import { LINEAGE_VARIABLE, lineageOf, markProgram } from "./lineage-mark.ts";

/** Bytes of each stream that are kept; of what is beyond, the end is. */
const MAX_OUTPUT = 1024 * 1024;

/** What to run. */
export interface ProcessRequest {
  readonly argv: readonly [string, ...string[]];
  /** The real working directory. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Hears what the process prints. */
  readonly progress?: (text: string) => void;
}

/** How a process ended. Exactly one of `exitCode` and `exitSignal` is set. */
export interface ProcessResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/**
 * The environment of every process that a tool starts: that of a hook without grants, and the mark of an agent's own
 * programs.
 */
export function baselineEnvironment(env: Environment, root: string): Record<string, string> {
  return {
    PATH: "",
    ...childEnvironment(env, { workspace: root, granted: [] }),
    [LINEAGE_VARIABLE]: lineageOf(env),
  };
}

/**
 * Runs a program as hooks are run: without a shell, in a process group of its own. When the signal aborts, the whole
 * group gets TERM and half a second later KILL, and the signal's reason is thrown. The group dies with this process, too.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const { argv, cwd, env, signal, progress } = request;
  const [program, ...args] = argv;
  const stdout = new KeptOutput(progress);
  const stderr = new KeptOutput(progress);
  const { lineage, mark } = markProgram(env);
  const guard = guardProgram(mark);
  const end = await runProgram({
    onStarted: (group) => guard.started(group),
    program,
    args,
    cwd,
    env: { ...env, [LINEAGE_VARIABLE]: lineage },
    signal,
    onStdout: (chunk) => stdout.add(chunk),
    onStderr: (chunk) => stderr.add(chunk),
  }).finally(() => guard.release());
  if (end.kind === "not_started") throw end.error;
  const { exitCode, exitSignal } = end;
  return { stdout: stdout.text(), stderr: stderr.text(), exitCode, exitSignal };
}

/** One stream's last megabyte; tells it on as it comes, in whole characters. */
class KeptOutput {
  readonly #progress: ((text: string) => void) | undefined;
  readonly #decoder = new StringDecoder("utf8");
  #kept: Buffer = Buffer.alloc(0);
  #dropped = 0;

  constructor(progress: ((text: string) => void) | undefined) {
    this.#progress = progress;
  }

  add(chunk: Buffer): void {
    const text = this.#progress && this.#decoder.write(chunk);
    if (text) this.#progress?.(text);
    this.#kept = Buffer.concat([this.#kept, chunk]);
    const excess = this.#kept.length - MAX_OUTPUT;
    if (excess <= 0) return;
    this.#dropped += excess;
    this.#kept = this.#kept.subarray(excess);
  }

  text(): string {
    const note = this.#dropped > 0 ? `[${this.#dropped} earlier bytes are not kept]\n` : "";
    return note + this.#kept.toString("utf8");
  }
}
