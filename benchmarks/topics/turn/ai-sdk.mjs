import { tool, ToolLoopAgent } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod/v4";
import { ANSWER, FILE, INPUT_JSON, isAllowed, PROMPT, subjectOf, SYSTEM, TOOL, USAGE } from "./scene.mjs";

const usage = {
  inputTokens: { total: USAGE.input, noCache: USAGE.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: USAGE.output, text: USAGE.output, reasoning: 0 },
};

/** The AI SDK's `ToolLoopAgent` on its own mock model; zod validates, `needsApproval` is asked and lets the call through. */
export function open() {
  let calls = 0;
  const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answerTo(prompt) });
  const read = tool({
    description: TOOL.description,
    inputSchema: z.strictObject({
      path: z.string(),
      from: z.int().min(1).optional(),
      lines: z.int().min(1).max(5000).optional(),
    }),
    needsApproval: (input) => !isAllowed(input),
    execute: async () => ((calls += 1), FILE),
  });
  const prepare = () => {
    model.doGenerateCalls.length = 0;
    return new ToolLoopAgent({ model, instructions: SYSTEM, tools: { [TOOL.name]: read } });
  };
  const turn = async (agent) => (await agent.generate({ prompt: PROMPT })).text;
  return subjectOf({ prepare, turn, calls: () => calls });
}

function answerTo(prompt) {
  const called = prompt.at(-1).role === "tool";
  const call = { type: "tool-call", toolCallId: "call-1", toolName: TOOL.name, input: INPUT_JSON };
  return {
    content: called ? [{ type: "text", text: ANSWER }] : [call],
    finishReason: { unified: called ? "stop" : "tool-calls", raw: undefined },
    usage,
    warnings: [],
  };
}
