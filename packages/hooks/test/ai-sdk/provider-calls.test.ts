import { MockLanguageModelV3 } from "ai-6/test";
import { MockLanguageModelV4 } from "ai-7/test";
import { describe, expect, expectTypeOf, it } from "vitest";
import { refuseProviderCalls } from "../../src/ai-sdk/index.ts";
import { ai7, majors } from "./majors.ts";

const ran = {
  type: "tool-call",
  toolCallId: "s",
  toolName: "delete",
  input: "{}",
  providerExecuted: true,
  dynamic: true,
};
const result = { type: "tool-result", toolCallId: "s", toolName: "delete", result: "gone", dynamic: true };
const text = { type: "text", text: "done" };
const streamed = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "done" },
  { type: "text-end", id: "t" },
];
const finish = {
  finishReason: { unified: "stop", raw: "stop" },
  usage: { inputTokens: {}, outputTokens: {} },
};

describe.each(majors)("S15: a tool that the provider of $name ran, and no toolset showed", ({ name, ai }) => {
  const Model = (name === "ai 6" ? MockLanguageModelV3 : MockLanguageModelV4) as typeof MockLanguageModelV3;
  const modelOf = (parts: readonly object[], outside?: readonly string[]) => {
    const content = [...parts, text];
    const stream = () =>
      new ReadableStream({
        start(controller) {
          const all = [...parts, ...streamed, { type: "finish", ...finish }];
          for (const part of all) controller.enqueue(part);
          controller.close();
        },
      });
    const doGenerate = async () => ({ content, ...finish, warnings: [] });
    const model = new Model({ doGenerate, doStream: async () => ({ stream: stream() }) } as never);
    return ai.wrapLanguageModel({ model, middleware: refuseProviderCalls({ outside }) });
  };
  const ways = {
    generate: async (model: ReturnType<typeof modelOf>) =>
      (await ai.generateText({ model, prompt: "go", maxRetries: 0 })).text,
    stream: async (model: ReturnType<typeof modelOf>) => {
      const { fullStream } = ai.streamText({ model, prompt: "go", maxRetries: 0, onError: () => undefined });
      let words = "";
      for await (const part of fullStream) {
        if (part.type === "error") throw part.error;
        if (part.type === "text-delta") words += part.text;
      }
      return words;
    },
  };

  it.each(["generate", "stream"] as const)(
    "%s: fails the turn, unless it is listed as outside",
    async (way) => {
      const run = ways[way];
      const refusal = { code: "unguarded_tool", details: { tool: "delete" } };
      await expect(run(modelOf([ran, result]))).rejects.toMatchObject(refusal);
      await expect(run(modelOf([ran, result], ["web_search"]))).rejects.toMatchObject(refusal);
      expect(await run(modelOf([ran, result], ["delete"]))).toBe("done");
      expect(await run(modelOf([]))).toBe("done");
    },
  );
});

it("the middleware is of a type that ai 7 takes as well", () => {
  expectTypeOf(refuseProviderCalls).returns.toExtend<
    Parameters<typeof ai7.wrapLanguageModel>[0]["middleware"]
  >();
});
