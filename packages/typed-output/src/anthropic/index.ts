export { anthropicRunner, type AnthropicRunnerOptions } from "./anthropic-runner.ts";
export type { AnthropicClient, AnthropicMessage } from "./anthropic-client.ts";
