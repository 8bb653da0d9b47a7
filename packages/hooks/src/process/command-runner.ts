import { directRunner, openRunner, type ProgramRunner } from "./program-runner.ts";

/** Runs programs that are asked once, by their standard input, and answer by what they print and how they end. */
export type CommandRunner = Pick<ProgramRunner, "run" | "close">;

/** A runner as hooks have it. `launcher` as in `openHooks`: true unless programs are to be children of this process. */
export function openCommandRunner({ launcher = true }: { readonly launcher?: boolean } = {}): CommandRunner {
  const { run, close } = launcher ? openRunner() : directRunner();
  return { run, close };
}
