import { existsSync } from "node:fs";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import { CallFiles } from "./call-files.ts";
import {
  STDERR_TAIL_BYTES,
  type CommandEnd,
  type CommandListener,
  type CommandProcess,
  type CommandRequest,
} from "./command.ts";
import { OutputTail } from "./command-output.ts";
import { exitCodeOf, notExecuted } from "./exit-status.ts";
import type { Launched, Launcher } from "./launcher.ts";
import { terminate } from "./termination.ts";

/** How often the output of a running program is measured. */
const MEASURE_MS = 20;

/** Starts a command through a launcher; undefined when this one cannot be. */
export function startLaunchedCommand(
  launcher: Launcher,
  request: CommandRequest,
  listener: CommandListener,
): CommandProcess | undefined {
  const id = launcher.nextId();
  const files = CallFiles.create(launcher.directory, id, `${request.stdin}\n`);
  if (files === undefined) {
    if (!existsSync(launcher.directory)) launcher.retire();
    return undefined;
  }
  const command = new LaunchedCommand(files, request, listener);
  const { stdin, stdout, stderr } = files;
  const launched = launcher.start({ id, program: request, stdin, stdout, stderr }, command);
  if (launched === undefined) {
    files.close();
    return undefined;
  }
  command.begin(launched);
  return command;
}

class LaunchedCommand implements CommandProcess {
  readonly #files: CallFiles;
  readonly #request: CommandRequest;
  readonly #listener: CommandListener;
  #launched: Launched | undefined;
  #callOff: () => void = () => undefined;

  constructor(files: CallFiles, request: CommandRequest, listener: CommandListener) {
    this.#files = files;
    this.#request = request;
    this.#listener = listener;
  }

  begin(launched: Launched): void {
    this.#launched = launched;
    this.#measureSoon();
  }

  terminate(onStuck: () => void): () => void {
    const { clock } = this.#request;
    const signal = (name: "SIGTERM" | "SIGKILL"): void => this.#launched?.signal(name);
    return terminate(signal, { clock, onStuck });
  }

  release(): void {
    this.#callOff();
    this.#launched?.giveUp();
    this.#files.close();
  }

  onStarted(): void {
    this.#files.removeNames();
  }

  onNotStarted(problem: string): void {
    this.#listener.onEnd({ kind: "not_started", error: new Error(problem) });
  }

  onLost(): void {
    this.#listener.onEnd({ kind: "lost" });
  }

  /** Nobody of its group is left, so all that it will ever print is there: no drain. */
  onEnded(status: number, uptimeS?: number): void {
    this.#callOff();
    this.#listener.onExit(uptimeS);
    this.#listener.onEnd(this.#end(status));
  }

  #end(status: number): CommandEnd {
    const stdout = this.#files.readStdout(MAX_ANSWER_BYTES);
    if (stdout === undefined) return { kind: "output_too_large" };
    const tail = new OutputTail(STDERR_TAIL_BYTES);
    tail.add(this.#files.stderrTail(STDERR_TAIL_BYTES));
    const stderr = tail.text();
    const problem = notExecuted(status, { isSilent: stdout.text === "", stderr });
    if (problem !== undefined) return { kind: "not_started", error: new Error(problem) };
    return { kind: "exited", exitCode: exitCodeOf(status), stdout, stderr };
  }

  #measureSoon(): void {
    this.#callOff = this.#request.clock.alarm(MEASURE_MS, () => {
      if (this.#files.measure(MAX_ANSWER_BYTES) > MAX_ANSWER_BYTES) this.#listener.onOverflow();
      this.#measureSoon();
    });
  }
}
