import { complain } from "./output-format.ts";
import { exitCode } from "./exit-code.ts";

/** Whether what was written arrived. */
export interface OutputWatch {
  /** True once a stream could not be written for another reason than that its reader went away. */
  readonly lost: boolean;
}

/**
 * Watches standard output and standard error. A reader that went away (`basis … | head -1`, a terminal that was closed) asks the work to stop; so
 * does a stream that cannot be written, which is told and makes the exit code 1, also when it is noticed at the end.
 */
export function watchOutput(quit: () => void): OutputWatch {
  let lost = false;
  const listen = (name: string, error: NodeJS.ErrnoException): void => {
    quit();
    if (error.code === "EPIPE" || error.code === "EIO" || lost) return;
    lost = true;
    process.exitCode = exitCode.failed;
    complain(`${name} cannot be written: ${error.message}`);
  };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => listen("standard output", error));
  process.stderr.on("error", (error: NodeJS.ErrnoException) => listen("standard error", error));
  return {
    get lost() {
      return lost;
    },
  };
}
