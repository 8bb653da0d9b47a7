import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import * as ai7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";

/** One reply of the scripted model: calls, or a text that ends the run. */
export interface Reply {
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[];
  readonly text?: string;
}

/** What the model read of a call. */
export interface ReadResult {
  readonly toolName: string;
  readonly type: string;
  readonly value: unknown;
}

export interface Ran {
  readonly text: string;
  /** What the model read, in order. */
  readonly read: readonly ReadResult[];
  /** Calls that wait for a person. */
  readonly asked: readonly { readonly approvalId: string; readonly toolCallId: string }[];
  /** What the run added to the conversation. */
  readonly messages: readonly object[];
}

export interface RunOptions {
  readonly tools: object;
  readonly replies: readonly Reply[];
  readonly messages?: readonly object[];
  readonly settings?: object;
}

/** One supported major with its own scripted model. */
export interface Major {
  readonly name: string;
  readonly ai: typeof ai6;
  generate(options: RunOptions): Promise<Ran>;
  /** As `generate`, streaming; `shown` are the results in the order in which a user interface gets them. */
  stream(options: RunOptions): Promise<Ran & { readonly shown: readonly unknown[] }>;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function contentOf(reply: Reply): { readonly content: object[]; readonly finishReason: object } {
  const calls = (reply.calls ?? []).map(({ id, name, input }, index) => ({
    type: "tool-call",
    toolCallId: id ?? `call-${index + 1}`,
    toolName: name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
  const isCalling = calls.length > 0;
  const text = { type: "text", text: reply.text ?? "done" };
  const unified = isCalling ? "tool-calls" : "stop";
  return { content: isCalling ? calls : [text], finishReason: { unified, raw: unified } };
}

function chunksOf(reply: Reply): ReadableStream<object> {
  const { content, finishReason } = contentOf(reply);
  const parts = content.flatMap((part) =>
    (part as { type: string }).type === "text"
      ? [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: (part as unknown as { text: string }).text },
          { type: "text-end", id: "t" },
        ]
      : [part],
  );
  return new ReadableStream({
    start(controller) {
      for (const chunk of [{ type: "stream-start", warnings: [] }, ...parts]) controller.enqueue(chunk);
      controller.enqueue({ type: "finish", finishReason, usage });
      controller.close();
    },
  });
}

/** What was sent to the model as results, over all requests, each once. */
function readBy(prompts: readonly { readonly prompt: readonly object[] }[]): ReadResult[] {
  const rows = prompts.at(-1)?.prompt ?? [];
  return rows.flatMap((row) => {
    const { role, content } = row as { role: string; content: { type: string }[] };
    if (role !== "tool") return [];
    return content
      .filter(({ type }) => type === "tool-result")
      .map((part) => {
        const { toolName, output } = part as unknown as { toolName: string; output: Record<string, unknown> };
        return { toolName, type: String(output["type"]), value: output["value"] ?? output["reason"] };
      });
  });
}

type AnyRun = Record<string, unknown> & { steps: { content: object[]; response: { messages: object[] } }[] };

function major(name: string, ai: typeof ai6, Model: typeof MockLanguageModelV3): Major {
  const settingsOf = ({ tools, messages, replies, settings }: RunOptions) => {
    const left = [...replies];
    const prompts: { prompt: object[] }[] = [];
    const next = (request: unknown): Reply => {
      prompts.push(request as { prompt: object[] });
      return left.shift() ?? { text: "done" };
    };
    const model = new Model({
      doGenerate: async (request: unknown) => ({ ...contentOf(next(request)), usage, warnings: [] }),
      doStream: async (request: unknown) => ({ stream: chunksOf(next(request)) }),
    } as never);
    const conversation = messages ?? [{ role: "user", content: "go" }];
    const stopWhen = ({ steps }: { steps: unknown[] }) => steps.length >= 5;
    return { prompts, call: { model, tools, messages: conversation, stopWhen, maxRetries: 0, ...settings } };
  };
  const ranOf = async (result: AnyRun, prompts: { prompt: object[] }[]): Promise<Ran> => {
    const asked = result.steps
      .flatMap(({ content }) => content)
      .filter((part) => (part as { type: string }).type === "tool-approval-request")
      .map((part) => {
        const { approvalId, toolCall } = part as { approvalId: string; toolCall: { toolCallId: string } };
        return { approvalId, toolCallId: toolCall.toolCallId };
      });
    const { messages } = (await result["response"]) as { messages: object[] };
    return { text: String(await result["text"]), read: readBy(prompts), asked, messages };
  };
  return {
    name,
    ai,
    async generate(options) {
      const { prompts, call } = settingsOf(options);
      return ranOf((await ai.generateText(call as never)) as unknown as AnyRun, prompts);
    },
    async stream(options) {
      const { prompts, call } = settingsOf(options);
      const result = ai.streamText(call as never);
      const shown: unknown[] = [];
      for await (const part of result.fullStream as AsyncIterable<Record<string, unknown>>) {
        if (part["type"] === "tool-result") shown.push(part["output"]);
      }
      const steps = (await result.steps) as unknown as AnyRun["steps"];
      const run = { steps, response: result.response, text: result.text } as unknown as AnyRun;
      return { ...(await ranOf(run, prompts)), shown };
    },
  };
}

/** The supported majors. */
export const majors: readonly Major[] = [
  major("ai 6", ai6, MockLanguageModelV3),
  major("ai 7", ai7 as unknown as typeof ai6, MockLanguageModelV4 as unknown as typeof MockLanguageModelV3),
];

/** The newer major's own exports. */
export { ai7 };
