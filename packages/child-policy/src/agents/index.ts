export {
  parseAgentFile,
  type AgentFile,
  type AgentFileOptions,
  type AgentFileProblem,
} from "./agent-file.ts";
export { loadAgents, type GuardFile, type LoadAgentsOptions, type LoadedAgents } from "./load-agents.ts";
