import { onAbort, systemClock, type Clock } from "@basis/core";
import type { Program } from "./command.ts";
import { DirectChild } from "./direct-child.ts";
import type { ChildEnd } from "./piped-child.ts";

/** A program to run, and who hears what it prints. It reads nothing. */
export interface ProgramRun extends Program {
  readonly signal: AbortSignal;
  /** Hears the process group of the program, as soon as it runs. */
  readonly onStarted?: ((group: number) => void) | undefined;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
  readonly clock?: Clock | undefined;
}

/**
 * Runs a program without a shell, as a child of this process in a process group of its own; a bare name is looked up
 * on the PATH it is given. The end comes with its exit and a drain of 50 ms, whoever holds its pipes; what it leaves
 * behind in its group is killed then, and when this process exits.
 *
 * When the signal aborts, the whole group gets TERM and after 500 ms KILL, and the signal's reason is thrown once the
 * program is gone. A program that cannot be started is an end, not an error.
 */
export async function runProgram(run: ProgramRun): Promise<ChildEnd> {
  const { signal, onStdout, onStderr, clock = systemClock } = run;
  signal.throwIfAborted();
  const undo: (() => void)[] = [];
  let child: DirectChild | undefined;
  try {
    const end = await new Promise<ChildEnd>((resolve, reject) => {
      const started = new DirectChild(
        run,
        { onStdout, onStderr, onEnd: resolve },
        { clock, stdin: "ignore" },
      );
      child = started;
      if (started.group !== undefined) run.onStarted?.(started.group);
      const onStuck = (): void => reject(signal.reason);
      undo.push(onAbort(signal, () => undo.push(started.terminate(onStuck))));
    });
    signal.throwIfAborted();
    return end;
  } finally {
    for (const step of undo) step();
    child?.release();
  }
}
