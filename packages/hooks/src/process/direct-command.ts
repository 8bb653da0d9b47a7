import { closeSync } from "node:fs";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import {
  STDERR_TAIL_BYTES,
  type CommandEnd,
  type CommandListener,
  type CommandProcess,
  type CommandRequest,
} from "./command.ts";
import { CappedOutput, OutputTail } from "./command-output.ts";
import { DirectChild } from "./direct-child.ts";
import type { ChildEnd } from "./piped-child.ts";
import { openRequestFile } from "./request-file.ts";

/** Starts a command as a child of this process. */
export function startDirectCommand(request: CommandRequest, listener: CommandListener): CommandProcess {
  const stdin = `${request.stdin}\n`;
  const descriptor = openRequestFile(stdin);
  try {
    const output = new ReadOutput(listener);
    const child = new DirectChild(request, output, { clock: request.clock, stdin: descriptor ?? "pipe" });
    if (descriptor === undefined) child.send(stdin);
    child.endInput();
    return child;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A command's output as it comes through pipes. */
class ReadOutput {
  readonly #listener: CommandListener;
  readonly #stdout = new CappedOutput(MAX_ANSWER_BYTES);
  readonly #stderr = new OutputTail(STDERR_TAIL_BYTES);

  constructor(listener: CommandListener) {
    this.#listener = listener;
  }

  onStdout(chunk: Buffer): void {
    if (!this.#stdout.add(chunk)) this.#listener.onOverflow();
  }

  onStderr(chunk: Buffer): void {
    this.#stderr.add(chunk);
  }

  onExit(): void {
    this.#listener.onExit();
  }

  onEnd(end: ChildEnd): void {
    this.#listener.onEnd(end.kind === "exited" ? this.#exited(end.exitCode) : end);
  }

  #exited(exitCode: number | null): CommandEnd {
    return { kind: "exited", exitCode, stdout: this.#stdout.text(), stderr: this.#stderr.text() };
  }
}
