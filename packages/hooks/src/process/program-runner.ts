import { LoopHold } from "./loop-hold.ts";
import type { CommandRequest, StartCommand } from "./command.ts";
import { startDirectChild } from "./direct-child.ts";
import { startDirectCommand } from "./direct-command.ts";
import { startLaunchedChild } from "./launched-child.ts";
import { startLaunchedCommand } from "./launched-command.ts";
import { launcherPool, type LauncherPool } from "./launcher-pool.ts";
import type { StartPiped } from "./piped-child.ts";
import { runCommand, type CommandOutcome } from "./run-command.ts";

/** Runs programs for whoever opened it. */
export interface ProgramRunner {
  /** Runs one program to its end and keeps the host alive meanwhile. Never rejects. */
  run(request: CommandRequest): Promise<CommandOutcome>;
  /** Starts a program to talk to; it does not keep the host alive. */
  readonly startPiped: StartPiped;
  /** Lets go of what is kept warm; call it when nothing runs any more. */
  close(): Promise<void>;
}

/** A runner whose programs are children of this process. Starting one holds the event loop longer the larger it is. */
export function directRunner(): ProgramRunner {
  const close = (): Promise<void> => Promise.resolve();
  return runnerOf({ startCommand: startDirectCommand, startPiped: startDirectChild, close });
}

/**
 * A runner whose programs are started by a launcher, which all open runners of this process share and which is warm
 * from now on. What a launcher cannot start exactly is started directly, as is everything where there can be none.
 */
export function openRunner(pool: LauncherPool = launcherPool): ProgramRunner {
  const seat = pool.open();
  return runnerOf({
    startCommand(request, listener) {
      const launcher = seat.launcher();
      const launched = launcher && startLaunchedCommand(launcher, request, listener);
      return launched ?? startDirectCommand(request, listener);
    },
    startPiped(program, listener, clock) {
      const launcher = seat.launcher();
      const launched = launcher && startLaunchedChild(launcher, { program, clock }, listener);
      return launched ?? startDirectChild(program, listener, clock);
    },
    close: () => seat.close(),
  });
}

interface RunnerParts extends Pick<ProgramRunner, "startPiped" | "close"> {
  readonly startCommand: StartCommand;
}

function runnerOf({ startCommand, startPiped, close }: RunnerParts): ProgramRunner {
  const hold = new LoopHold();
  return {
    run(request) {
      const outcome = runCommand(request, startCommand);
      hold.until(outcome);
      return outcome;
    },
    startPiped,
    close,
  };
}
