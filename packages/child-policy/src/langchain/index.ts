export {
  spawnTool,
  type LangChain,
  type SpawnRuntime,
  type SpawnTool,
  type SpawnToolFields,
  type SpawnToolOptions,
} from "./spawn-tool.ts";
export type { SpawnFacts } from "../binding/delegation-options.ts";
export type { AgentChildRun } from "../binding/listed-tools.ts";
