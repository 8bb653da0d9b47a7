export { spawnTool } from "./spawn-tool.ts";
export type { ChildRun, SpawnCallOptions, SpawnTool, SpawnToolOptions } from "./spawn-options.ts";
