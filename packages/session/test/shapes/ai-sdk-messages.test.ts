import { modelMessageShape, type ModelMessage } from "@mobkit/session";
import { generateText, stepCountIs, tool, type ModelMessage as SdkMessage } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { openAfterEach } from "./transcript.ts";

type Answer = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;

function answers(content: Answer["content"]): Answer {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  const outputTokens = { total: 1, text: 1, reasoning: 0 };
  const unified = content.some(({ type }) => type === "tool-call")
    ? ("tool-calls" as const)
    : ("stop" as const);
  return {
    content,
    finishReason: { unified, raw: unified },
    usage: { inputTokens, outputTokens },
    warnings: [],
  };
}

const call = (toolCallId: string, toolName: string) =>
  ({ type: "tool-call", toolCallId, toolName, input: '{"path":"."}' }) as const;

const inputSchema = z.object({ path: z.string() });

const tools = {
  look: tool({ inputSchema, execute: () => "a cat" }),
  fail: tool({
    inputSchema,
    execute: (): string => {
      throw new Error("no such file");
    },
  }),
  send: tool({ inputSchema, needsApproval: true, execute: () => "sent" }),
};

const first: SdkMessage = { role: "user", content: "What is on it?" };

async function conversation(
  messages: readonly SdkMessage[],
  ...rounds: readonly Answer[]
): Promise<SdkMessage[]> {
  const model = new MockLanguageModelV3({ doGenerate: [...rounds] });
  const { response } = await generateText({
    model,
    tools,
    messages: [...messages],
    stopWhen: stepCountIs(9),
  });
  // As a store needs them: without what is undefined, which JSON leaves out.
  return [...messages, ...(JSON.parse(JSON.stringify(response.messages)) as SdkMessage[])];
}

const openIn = (messages: readonly ModelMessage[]): Promise<string[][]> =>
  openAfterEach(modelMessageShape, messages);

describe("messages that the AI SDK made", () => {
  test("of parallel calls, one of which fails, are appended", async () => {
    const messages = await conversation(
      [first],
      answers([
        { type: "reasoning", text: "Let me look." },
        { type: "text", text: "I look." },
        call("c1", "look"),
        call("c2", "fail"),
      ]),
      answers([{ type: "text", text: "A cat." }]),
    );
    expect(await openIn(messages)).toEqual([[], ["call:c1", "call:c2"], [], []]);
  });

  test("of a tool that the provider executed leave nothing open", async () => {
    const executed = { ...call("ws_1", "search"), providerExecuted: true, dynamic: true } as const;
    const found = { type: "tool-result", toolCallId: "ws_1", toolName: "search", result: "cats" } as const;
    const messages = await conversation(
      [first],
      answers([executed, { ...found, dynamic: true }, { type: "text", text: "Cats." }]),
    );
    expect(messages.at(-1)).toMatchObject({ role: "assistant" });
    expect(await openIn(messages)).toEqual([[], []]);
  });

  // A pending approval counts as open.
  test("of an approval stay open until it is answered and the call has its result", async () => {
    const asked = await conversation([first], answers([call("c1", "send")]));
    const request = (asked.at(-1)!.content as readonly { type: string; approvalId?: string }[]).find(
      ({ type }) => type === "tool-approval-request",
    );
    const approvalId = request!.approvalId!;
    const response: SdkMessage = {
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId, approved: true }],
    };
    expect(await openIn(asked)).toEqual([[], ["call:c1", `approval:${approvalId}`]]);
    const sent = await conversation([...asked, response], answers([{ type: "text", text: "Sent." }]));
    expect(await openIn(sent)).toEqual([[], ["call:c1", `approval:${approvalId}`], ["call:c1"], [], []]);
  });

  test("of empty contents are appended", async () => {
    expect(
      await openIn([
        { role: "user", content: "" },
        { role: "assistant", content: [] },
      ]),
    ).toEqual([[], []]);
  });
});
