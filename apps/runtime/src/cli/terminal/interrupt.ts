import { exitCode } from "./exit-code.ts";

/** How long the work may take to end after it was asked to, unless it says so itself. */
const SHUTDOWN_MS = 5000;

/** Ctrl-C, TERM, a terminal that was closed and a reader of the output that went away: as a signal, and as something to do. */
export interface Interrupt {
  /** Aborts while nothing has been given to `instead`. */
  readonly signal: AbortSignal;
  /** True once it was asked for. */
  readonly asked: boolean;
  /** What an interruption does from now on, in place of aborting, and how long that may take; default 5 s. */
  instead(act: () => void, graceMs?: number): void;
  /** Asks the work to stop. */
  ask(): void;
}

/**
 * Listens to Ctrl-C, TERM and the terminal's hangup as long as the process lives. The first asks the work to stop; the
 * second, a Ctrl-\ or too long a time without an end, ends the process at once, and with it every process group that it
 * started. A hangup may come twice, from the shell and from the terminal, and never ends it at once.
 */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let act = (): void => controller.abort(new Error("interrupted"));
  let asked = false;
  let graceMs = SHUTDOWN_MS;
  const end = (): void => process.exit(exitCode.interrupted);
  const ask = (): void => {
    if (asked) return;
    asked = true;
    setTimeout(end, graceMs).unref();
    act();
  };
  const listen = (): void => (asked ? end() : ask());
  process.on("SIGINT", listen).on("SIGTERM", listen).on("SIGHUP", ask).on("SIGQUIT", end);
  return {
    signal: controller.signal,
    get asked() {
      return asked;
    },
    instead(next, ms = SHUTDOWN_MS) {
      act = next;
      graceMs = ms;
      if (asked) act();
    },
    ask,
  };
}
