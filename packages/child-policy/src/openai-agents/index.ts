export {
  spawnTool,
  type AgentChildRun,
  type SpawnDetails,
  type SpawnTool,
  type SpawnToolOptions,
} from "./spawn-tool.ts";
