import type { Clock } from "@basis/core";

/** Bytes of its error output that are kept, the last ones. */
export const STDERR_TAIL_BYTES = 2048;
/** How long its output is still read after it has exited. */
export const DRAIN_MS = 50;

/** What is started: a file to execute, never a line for a shell. */
export interface Program {
  /** The file to execute. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** One program to run to its end. */
export interface CommandRequest extends Program {
  readonly stdin: string;
  /** Covers start, run and read. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** All that a program printed. */
export interface PrintedText {
  readonly text: string;
  /** False when it printed something that is no UTF-8. */
  readonly exact: boolean;
  /** True when it overwrote what it had printed: then this is not all. */
  readonly overwritten?: boolean;
}

/** How a program ended by itself, or why it never began. */
export type CommandEnd =
  | { readonly kind: "not_started"; readonly error: Error }
  | { readonly kind: "output_too_large" }
  /** What held the program was killed; the program was, too. */
  | { readonly kind: "lost" }
  | {
      readonly kind: "exited";
      /** Null when a signal ended it. */
      readonly exitCode: number | null;
      readonly stdout: PrintedText;
      readonly stderr: string;
    };

/** What a running command tells, never while it is being started. */
export interface CommandListener {
  /** It printed more than is read. */
  onOverflow(): void;
  /** It has exited; the end follows when its output was read. `uptimeS` is the system's uptime at its exit, where it is known. */
  onExit(uptimeS?: number): void;
  onEnd(end: CommandEnd): void;
}

/** A command that runs, or is about to. */
export interface CommandProcess {
  /**
   * Asks its group to end, and kills it 500 ms later. `onStuck` is called where nothing is heard of it for as long
   * again. The answer calls both off.
   */
  terminate(onStuck: () => void): () => void;
  /** Lets go of everything; called once, after the end. */
  release(): void;
}

/** How commands are started. May throw what kept one from starting. */
export type StartCommand = (request: CommandRequest, listener: CommandListener) => CommandProcess;

/**
 * Acts once the event loop has handled what had arrived before a timer rang: where something held the thread, an
 * answer that came in time is not taken for a late one, or for half of one.
 */
export function afterPending(act: () => void): void {
  setImmediate(act);
}
