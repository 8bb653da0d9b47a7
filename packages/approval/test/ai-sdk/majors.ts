import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import * as ai7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";

/** What came of a run of one scripted call. */
export interface Ran {
  /** What the model read of its calls. */
  readonly read: readonly unknown[];
  readonly asked: readonly { readonly approvalId: string }[];
  readonly messages: readonly object[];
}

type Call = { readonly name: string; readonly input: object };
type Step = { readonly content: readonly { readonly type: string; readonly approvalId?: string }[] };

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

const major = (name: string, ai: typeof ai6, Model: typeof MockLanguageModelV3) => ({
  name,
  /** Runs until the model has read its results, or somebody must be asked. */
  async run(tools: object, calls: readonly Call[], conversation: readonly object[] = []): Promise<Ran> {
    const requests: { readonly prompt: readonly { readonly role: string; readonly content: unknown }[] }[] =
      [];
    const parts = calls.map(({ name: toolName, input }, n) => ({
      type: "tool-call",
      toolCallId: `call-${n}`,
      toolName,
      input: JSON.stringify(input),
    }));
    const doGenerate = async (request: unknown): Promise<unknown> => {
      requests.push(request as (typeof requests)[number]);
      const isFirst = requests.length === 1 && parts.length > 0;
      const content = isFirst ? parts : [{ type: "text", text: "done" }];
      return { content, finishReason: { unified: isFirst ? "tool-calls" : "stop" }, usage, warnings: [] };
    };
    const result = await ai.generateText({
      model: new Model({ doGenerate } as never),
      tools,
      messages: [{ role: "user", content: "go" }, ...conversation],
      stopWhen: ({ steps }: { steps: unknown[] }) => steps.length > 3,
      maxRetries: 0,
    } as never);
    const rows = requests.at(-1)?.prompt.filter(({ role }) => role === "tool") ?? [];
    const read = rows.flatMap(({ content }) =>
      (content as { type: string; output?: { value?: unknown } }[])
        .filter(({ type }) => type === "tool-result")
        .map(({ output }) => output?.value),
    );
    const steps = result.steps as unknown as readonly Step[];
    const asked = steps
      .flatMap(({ content }) => content)
      .filter(({ type }) => type === "tool-approval-request")
      .map(({ approvalId = "" }) => ({ approvalId }));
    return { read, asked, messages: result.response.messages };
  },
});

/** The supported majors, each with its own scripted model. */
export const majors = [
  major("ai 6", ai6, MockLanguageModelV3),
  major("ai 7", ai7 as unknown as typeof ai6, MockLanguageModelV4 as unknown as typeof MockLanguageModelV3),
];

/** The conversation after a person has answered what was asked. */
export const answered = ({ messages, asked }: Ran, approved = true): readonly object[] => [
  ...messages,
  {
    role: "tool",
    content: asked.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved })),
  },
];
