export { openAiAgentsRunner, type OpenAiAgentsRunnerOptions } from "./openai-agents-runner.ts";
export type { AgentItem, AgentsModel } from "./agents-model.ts";
