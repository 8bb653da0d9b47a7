export type { ChatModel, ChatTool } from "./chat-model.ts";
export { langchainRunner, type LangChainRunnerOptions } from "./langchain-runner.ts";
