export { spawnTool, type SpawnTool } from "./spawn-tool.ts";
export type {
  ChildRun,
  SpawnCallOptions,
  SpawnFacts,
  SpawnToolOptions,
} from "../binding/delegation-options.ts";
