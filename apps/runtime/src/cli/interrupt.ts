import { exitCode } from "./exit-code.ts";

/** Ctrl-C and TERM, as a signal and as something to do. */
export interface Interrupt {
  /** Aborts while nothing has been given to `instead` yet. */
  readonly signal: AbortSignal;
  /** What an interruption does from now on, in place of aborting. */
  instead(act: () => void): void;
  release(): void;
}

/** Listens to Ctrl-C and TERM: the first asks the work to stop, the second ends the process. */
export function onInterrupt(): Interrupt {
  const controller = new AbortController();
  let act = (): void => controller.abort(new Error("interrupted"));
  let asked = false;
  const listen = (): void => {
    if (asked) process.exit(exitCode.interrupted);
    asked = true;
    act();
  };
  process.on("SIGINT", listen).on("SIGTERM", listen);
  return {
    signal: controller.signal,
    instead(next) {
      act = next;
      if (asked) act();
    },
    release: () => void process.off("SIGINT", listen).off("SIGTERM", listen),
  };
}
