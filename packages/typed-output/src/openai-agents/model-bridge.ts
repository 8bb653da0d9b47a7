import type { AiMessage, AiModel } from "../model-turn/ai-model.ts";
import type { AgentsModel, AgentsReply, AgentsTool } from "./agents-model.ts";
import { itemsOf, replyOf } from "./items.ts";

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
  readonly responseFormat?: { readonly name: string; readonly schema: unknown; readonly strict?: boolean };
  readonly abortSignal: AbortSignal;
}

/** A model of OpenAI Agents as a turn drives it. */
export function bridgeModel(model: AgentsModel, modelId: string, settings: object | undefined): AiModel {
  const doGenerate = async (asked: Asked): Promise<unknown> =>
    replyOf((await model.getResponse(requestOf(asked, settings) as never)) as AgentsReply);
  return { specificationVersion: "v3", provider: "openai-agents", modelId, doGenerate };
}

function requestOf(
  { prompt, tools, toolChoice, responseFormat, abortSignal }: Asked,
  settings?: object,
): object {
  const system = prompt.find(({ role }) => role === "system");
  const choice = toolChoice?.type === "tool" ? toolChoice.toolName : toolChoice?.type;
  return {
    ...(system && { systemInstructions: system.content }),
    input: prompt.filter((row) => row !== system).flatMap(itemsOf),
    modelSettings: { ...settings, ...(choice !== undefined && { toolChoice: choice }) },
    tools: (tools ?? []).map(({ name, description, inputSchema: parameters, strict = false }) => ({
      type: "function",
      name,
      description: description ?? "",
      parameters,
      strict,
    })),
    toolsExplicitlyProvided: true,
    outputType: responseFormat
      ? {
          type: "json_schema",
          name: responseFormat.name,
          strict: responseFormat.strict === true,
          schema: responseFormat.schema,
        }
      : "text",
    handoffs: [],
    tracing: false,
    signal: abortSignal,
  };
}

/** Function tools as a turn runs them. What a tool answers is shown as it is. */
export function bridgeTools(tools: readonly AgentsTool[], context: unknown): object {
  const entries = tools.map((tool) => {
    const { name, description, parameters: jsonSchema } = tool;
    const execute = (input: unknown, { toolCallId: callId, abortSignal: signal }: CallPlace): unknown => {
      const text = JSON.stringify(input);
      const toolCall = { type: "function_call", callId, name, status: "completed", arguments: text };
      return tool.invoke(context, text, { toolCall, signal });
    };
    const needsApproval = (input: unknown, { toolCallId }: CallPlace): Promise<boolean> =>
      tool.needsApproval(context, input, toolCallId);
    return [name, { description, inputSchema: { jsonSchema }, execute, needsApproval }];
  });
  return Object.fromEntries(entries) as object;
}

interface CallPlace {
  readonly toolCallId: string;
  readonly abortSignal: AbortSignal;
}
