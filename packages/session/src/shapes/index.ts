export { anthropicShape, type AnthropicMessage } from "./anthropic-shape.ts";
export type {
  LiveLangChainMessage,
  SerialisedLangChainMessage,
  StoredLangChainMessage,
} from "./langchain-message.ts";
export { langChainShape, type LangChainMessage, type LangChainShape } from "./langchain-shape.ts";
export { openAiAgentsShape, type AgentItem } from "./openai-agents-shape.ts";
export { openAiChatShape, type OpenAiChatMessage } from "./openai-chat-shape.ts";
export {
  openAiResponsesShape,
  type OpenAiResponseEntry,
  type OpenAiResponseItem,
} from "./openai-responses-shape.ts";
