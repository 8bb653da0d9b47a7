export { spawnTool, type SpawnDetails, type SpawnTool, type SpawnToolOptions } from "./spawn-tool.ts";
export type { SpawnFacts } from "../binding/delegation-options.ts";
export type { AgentChildRun } from "../binding/listed-tools.ts";
