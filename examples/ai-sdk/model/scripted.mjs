// A model of ai's own mocks whose replies are written down: a call of a tool, or the text that ends its run.
import { MockLanguageModelV3 } from "ai/test";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

export function scripted(...replies) {
  return new MockLanguageModelV3({ doGenerate: replies.map(reply) });
}

function reply(said, at) {
  const isText = typeof said === "string";
  const call = { type: "tool-call", toolCallId: `c${at}`, ...said };
  const finishReason = { unified: isText ? "stop" : "tool-calls" };
  return { content: [isText ? { type: "text", text: said } : call], finishReason, usage, warnings: [] };
}
