import type { AiMessage, AiModel, AiPart } from "../model-turn/ai-model.ts";
import type { AnthropicMessage, AnthropicTool, Block, MessageCalls } from "./anthropic-client.ts";
import { readReply } from "./streamed-reply.ts";

/** What a turn asks a model with. */
interface Asked {
  readonly prompt: readonly AiMessage[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: unknown;
    readonly strict?: boolean;
  }[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly responseFormat?: { readonly schema: unknown };
  readonly abortSignal: AbortSignal;
}

/** What every request of a runner says. */
export interface RequestSettings {
  readonly model: string;
  readonly maxTokens: number;
  readonly settings?: object | undefined;
}

/** What a part carries of the provider's own: the block that it stands for, or the message before the prompt. */
type OwnPart = AiPart & {
  readonly providerOptions?: { readonly block?: Block; readonly message?: AnthropicMessage };
  readonly output?: { readonly type: string; readonly value: unknown };
};

/** A client of Anthropic's as a turn drives it. */
export function bridgeClient(messages: MessageCalls, how: RequestSettings): AiModel {
  const doGenerate = async (asked: Asked): Promise<unknown> =>
    readReply(await messages.create(requestOf(asked, how), { signal: asked.abortSignal }));
  return { specificationVersion: "v3", provider: "anthropic", modelId: how.model, doGenerate };
}

function requestOf(
  { prompt, tools = [], toolChoice, responseFormat }: Asked,
  { model, maxTokens, settings }: RequestSettings,
): object {
  const system = prompt.find(({ role }) => role === "system");
  const { output_config: outputConfig }: { readonly output_config?: object } = settings ?? {};
  return {
    ...settings,
    model,
    max_tokens: maxTokens,
    stream: true,
    ...(system && { system: system.content }),
    messages: joined(prompt.filter((row) => row !== system).map(messageOf)),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema, strict }) => ({
        name,
        ...(description !== undefined && { description }),
        input_schema: inputSchema,
        ...(strict === true && { strict }),
      })),
      tool_choice: choiceOf(toolChoice),
    }),
    ...(responseFormat && {
      output_config: { ...outputConfig, format: { type: "json_schema", schema: responseFormat.schema } },
    }),
  };
}

function choiceOf(choice: Asked["toolChoice"]): object {
  if (choice?.type === "tool") return { type: "tool", name: choice.toolName };
  return { type: choice?.type === "required" ? "any" : (choice?.type ?? "auto") };
}

/** A row that stands for a message before the prompt. */
export function rowOf(message: AnthropicMessage): AiMessage {
  const part = { type: "text", text: "", providerOptions: { message } };
  return { role: message.role === "assistant" ? "assistant" : "user", content: [part] };
}

/** The message of a row. */
export function messageOf({ role, content }: AiMessage): AnthropicMessage {
  const parts = content as readonly OwnPart[];
  const given = parts[0]?.providerOptions?.message;
  if (given !== undefined) return given;
  if (role === "tool") return { role: "user", content: parts.map(resultBlock) };
  if (role !== "assistant")
    return { role: "user", content: parts.map(({ text = "" }) => ({ type: "text", text })) };
  const blocks = parts.flatMap(({ providerOptions }) => providerOptions?.block ?? []);
  return { role, content: blocks.filter(({ type, text }) => type !== "text" || text !== "") };
}

function resultBlock({ toolCallId, output }: OwnPart): object {
  const { type = "", value } = output ?? {};
  const isContent =
    typeof value === "string" ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every((one) => typeof Object(one)["type"] === "string"));
  return {
    type: "tool_result",
    tool_use_id: toolCallId,
    content: isContent ? value : JSON.stringify(value),
    ...(type.startsWith("error") && { is_error: true }),
  };
}

/** Neighbours of one role as one message: all results of a reply stand in the message after it. An empty one is left out. */
function joined(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const rows: AnthropicMessage[] = [];
  for (const message of messages) {
    const { role, content } = message;
    const last = rows.at(-1);
    if (Array.isArray(content) && content.length === 0) continue;
    if (last?.role === role && Array.isArray(last.content) && Array.isArray(content))
      rows[rows.length - 1] = { role, content: [...(last.content as unknown[]), ...(content as unknown[])] };
    else rows.push(message);
  }
  return rows;
}

/** Runnable tools as a turn runs them. */
export function bridgeTools(tools: readonly AnthropicTool[]): object {
  const entries = tools.map((tool) => {
    const { name, description, input_schema: jsonSchema } = tool;
    const execute = async (
      input: unknown,
      { toolCallId: id, abortSignal: signal }: CallPlace,
    ): Promise<unknown> => {
      const toolUse = { type: "tool_use", id, name, input };
      const parsed: unknown = tool.parse === undefined ? input : await tool.parse(input);
      return tool.run(parsed, { toolUse, toolUseBlock: toolUse, signal });
    };
    return [name, { description, inputSchema: { jsonSchema }, execute }];
  });
  return Object.fromEntries(entries) as object;
}

interface CallPlace {
  readonly toolCallId: string;
  readonly abortSignal: AbortSignal;
}
