import type { Clock } from "@basis/core";
import type { Program } from "./command.ts";

/** How a child ended. Of an exit at most one of code and signal is set. */
export type ChildEnd =
  | { readonly kind: "not_started"; readonly error: Error }
  | { readonly kind: "exited"; readonly exitCode: number | null; readonly exitSignal: string | null };

/** What a child does, told in order and never while it is being started. */
export interface ChildListener {
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** It has exited; what it had printed before may still come. */
  onExit?(): void;
  /** It has exited and its output was read, or it never began. Nothing is told after it. */
  onEnd(end: ChildEnd): void;
}

/** A program in a process group of its own whose standard streams are pipes of this process. */
export interface PipedChild {
  /** Writes to its input. A program may end without reading: then the pipe breaks, and that is fine. */
  send(text: string): void;
  /** Breaks the pipe of its input, with what it has not read of it. */
  breakInput(): void;
  /**
   * Asks its group to end, and kills it 500 ms later; the end then comes with the exit, without a drain. `onStuck` is
   * called where nothing is heard of it for as long again. The answer calls off what is left of it.
   */
  terminate(onStuck: () => void): () => void;
  /** Lets go of its pipes; nothing is told any more. */
  release(): void;
}

/** Starts a program that does not keep this process alive. May throw what kept it from starting. */
export type StartPiped = (program: Program, listener: ChildListener, clock: Clock) => PipedChild;
