export { childEnvironment, safePath, type Environment } from "./child-environment.ts";
export type { CommandEnd, CommandRequest, PrintedText, Program } from "./command.ts";
export { openCommandRunner, type CommandRunner } from "./command-runner.ts";
export type { ChildEnd } from "./piped-child.ts";
export { runProgram, type ProgramRun } from "./run-program.ts";
export { resolveProgram, type ProgramSearch } from "./resolve-program.ts";
export type { CommandOutcome } from "./run-command.ts";
