export { runnerCases, type RunnerCase } from "./runner-cases.ts";
export type {
  ScriptedOptions,
  ScriptedRequest,
  ScriptedRound,
  ScriptedTool,
  TranscriptRow,
} from "./script.ts";
export { scriptedRunner, type ScriptedRunner } from "./scripted-runner.ts";
