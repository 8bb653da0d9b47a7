import { LoopHold } from "./loop-hold.ts";
import type { CommandRequest, StartCommand } from "./command.ts";
import { startDirectCommand } from "./direct-command.ts";
import { startLaunchedCommand } from "./launched-command.ts";
import { launcherPool, type LauncherPool } from "./launcher-pool.ts";
import { runCommand, type CommandOutcome } from "./run-command.ts";

/** Runs programs for whoever opened it. */
export interface ProgramRunner {
  /** Runs one program to its end and keeps the host alive meanwhile. Never rejects. */
  run(request: CommandRequest): Promise<CommandOutcome>;
  /** Lets go of what is kept warm; call it when nothing runs any more. */
  close(): Promise<void>;
}

/** A runner whose programs are children of this process. Starting one holds the event loop longer the larger it is. */
export function directRunner(): ProgramRunner {
  return runnerOf(startDirectCommand, () => Promise.resolve());
}

/**
 * A runner whose programs are started by a launcher, which all open runners of this process share and which is warm
 * from now on. What a launcher cannot start exactly is started directly, as is everything where there can be none.
 */
export function openRunner(pool: LauncherPool = launcherPool): ProgramRunner {
  const seat = pool.open();
  const start: StartCommand = (request, listener) => {
    const launcher = seat.launcher();
    const launched = launcher && startLaunchedCommand(launcher, request, listener);
    return launched ?? startDirectCommand(request, listener);
  };
  return runnerOf(start, () => seat.close());
}

function runnerOf(start: StartCommand, close: () => Promise<void>): ProgramRunner {
  const hold = new LoopHold();
  return {
    run(request) {
      const outcome = runCommand(request, start);
      hold.until(outcome);
      return outcome;
    },
    close,
  };
}
