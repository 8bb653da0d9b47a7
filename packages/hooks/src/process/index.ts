export { childEnvironment, safePath, type Environment } from "./child-environment.ts";
export type { Program } from "./command.ts";
export type { ChildEnd } from "./piped-child.ts";
export { runProgram, type ProgramRun } from "./run-program.ts";
