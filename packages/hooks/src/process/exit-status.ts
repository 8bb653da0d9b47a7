import { constants } from "node:os";

/** Signals that end a process which does not handle them. */
const DEADLY: ReadonlySet<number> = new Set(
  (
    [
      ["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL"],
      ["SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"],
    ] as const
  )
    .flat()
    .flatMap((name) => constants.signals[name] ?? []),
);

/**
 * The exit code behind a status that a shell gives, null when a signal ended the program. A program that exits with 128
 * and the number of such a signal by itself cannot be told from one that the signal ended; shells exit so when a
 * signal ended what they ran.
 */
export function exitCodeOf(status: number): number | null {
  return DEADLY.has(status - 128) ? null : status;
}

/** What setsid(1) or env(1) says when it cannot execute a program, or the launcher's shell when it cannot execute that. */
const NOT_EXECUTED = /^(?:\S*\/)?(?:setsid|env): |^\S+: (?:line )?\d+: \/\S*\/setsid: /;

/** Why a program could not be executed, or undefined where it was. */
export function notExecuted(
  status: number,
  output: { readonly isSilent: boolean; readonly stderr: string },
): string | undefined {
  if ((status !== 126 && status !== 127) || !output.isSilent) return undefined;
  return NOT_EXECUTED.test(output.stderr) ? output.stderr : undefined;
}
