import type { AiMessage, AiModel } from "../model-turn/ai-model.ts";
import type { ChatCalls, ChatMessage, ChatModel } from "./chat-model.ts";
import { replyOf } from "./chat-reply.ts";

/** A request as the turn makes it. */
interface Request {
  readonly prompt: readonly AiMessage[];
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: unknown;
  }[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly abortSignal: AbortSignal;
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: { readonly type: string; readonly value: unknown };
  readonly providerOptions?: { readonly message?: ChatMessage };
}

/** A chat model at the interface that the turn drives. */
export function drivenModel(given: ChatModel, settings: object): AiModel {
  const model = given as ChatCalls;
  const doGenerate = async (request: Request): Promise<unknown> => {
    const { tools = [], toolChoice, abortSignal } = request;
    const offered = tools.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      function: { name, description: description ?? "", parameters },
    }));
    const bound =
      offered.length > 0 ? model.bindTools(offered, { tool_choice: choiceOf(toolChoice) }) : model;
    const messages = request.prompt.flatMap(messagesOf);
    return replyOf(await bound.invoke(messages, { ...settings, signal: abortSignal }));
  };
  const { name, id } = namesOf(given);
  return {
    specificationVersion: "v3",
    provider: name,
    modelId: id,
    doGenerate,
  };
}

/** LangChain's own words; each integration translates them. */
function choiceOf(choice: Request["toolChoice"]): string {
  if (choice?.type === "tool") return choice.toolName ?? "any";
  return choice?.type === "required" ? "any" : (choice?.type ?? "auto");
}

function messagesOf({ role, content }: AiMessage): object[] {
  if (typeof content === "string") return [{ role, content }];
  const parts = content as readonly Part[];
  if (role === "assistant") return [assistantMessage(parts)];
  if (role !== "tool") return [{ role, content: parts.map(({ text = "" }) => text).join("") }];
  return parts.map(({ toolCallId, toolName: name, output }) => ({
    role,
    name,
    tool_call_id: toolCallId,
    content: typeof output?.value === "string" ? output.value : JSON.stringify(output?.value),
    status: output?.type.startsWith("error") ? "error" : "success",
  }));
}

/** The model's own message where this run has it; its broken calls are answered as well, so they must stand in it. */
function assistantMessage(parts: readonly Part[]): object {
  const own = parts.find(({ providerOptions }) => providerOptions?.message)?.providerOptions?.message;
  if (own && (own.invalid_tool_calls ?? []).length === 0) return own;
  const calls = parts.filter(({ type }) => type === "tool-call");
  return {
    role: "assistant",
    content: parts.map(({ type, text = "" }) => (type === "text" ? text : "")).join(""),
    tool_calls: calls.map(({ toolCallId: id, toolName: name, input: args }) => ({
      id,
      name,
      args,
      type: "tool_call",
    })),
  };
}

function namesOf(model: ChatModel): { readonly name: string; readonly id: string } {
  const {
    modelName,
    model: id,
    _llmType: type,
  } = model as {
    readonly modelName?: unknown;
    readonly model?: unknown;
    readonly _llmType?: () => string;
  };
  const named = [modelName, id].find((name) => typeof name === "string" && name !== "");
  const name = type?.call(model) ?? "langchain";
  return { name, id: typeof named === "string" ? named : name };
}
