export { spawnTool, type SpawnTool } from "./spawn-tool.ts";
export type {
  ChildRun,
  SpawnCallOptions,
  SpawnFacts,
  SpawnToolOptions,
  Toolset,
} from "../binding/delegation-options.ts";
