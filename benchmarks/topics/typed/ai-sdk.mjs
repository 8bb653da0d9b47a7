import { generateText, Output } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod/v4";
import { PROMPT, subjectOf, USAGE, zodSchema } from "./scene.mjs";

const usage = {
  inputTokens: { total: USAGE.input, noCache: USAGE.input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: USAGE.output, text: USAGE.output, reasoning: 0 },
};

/** The AI SDK's object output on its own mock model. It asks nothing again, so a refused answer is asked for anew. */
export function open(variant) {
  const output = Output.object({ schema: zodSchema(z) });
  const ask = async (replies) => {
    for (const text of replies) {
      const model = new MockLanguageModelV3({
        doGenerate: async () => ({
          content: [{ type: "text", text }],
          finishReason: { unified: "stop", raw: undefined },
          usage,
          warnings: [],
        }),
      });
      try {
        return (await generateText({ model, prompt: PROMPT, output })).output;
      } catch {
        continue;
      }
    }
    return undefined;
  };
  return subjectOf(ask, variant);
}
