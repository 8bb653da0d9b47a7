import { addUsage, emptyUsage, parseStrict, type TokenUsage, type ToolCall } from "@basis/core";
import type { ProviderRefusal } from "../ladder.ts";
import type { FinishReason } from "../terminal-gate.ts";
import type { AiMessage, AiPart, AiReply } from "./ai-model.ts";

/** The calls of a reply, their arguments as the model wrote them. */
export function callsOf({ content }: AiReply): readonly ToolCall[] {
  return content
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId = "", toolName = "", input = "" }) => ({ toolCallId, toolName, input }));
}

/** A call that came back already run: nobody could judge it. */
export function foreignCall({ content }: AiReply): AiPart | undefined {
  return content.find(({ type, providerExecuted }) => type === "tool-result" || providerExecuted === true);
}

/** The text of a reply, without its thinking. */
export function textOf({ content }: AiReply): string {
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join("");
}

/** Why the model stopped. */
export function finishOf({ finishReason: { unified, raw } }: AiReply): FinishReason {
  if (raw === "refusal") return "refusal";
  switch (unified) {
    case "stop":
    case "length":
      return unified;
    case "tool-calls":
      return "tool_calls";
    case "content-filter":
      return "content_filter";
    default:
      return "other";
  }
}

/** The tokens of a reply; a model that tells none has none. */
export function usageOf({ usage }: AiReply): TokenUsage {
  const { inputTokens: input, outputTokens: output } = (usage ?? {}) as Partial<AiReply["usage"]>;
  return addUsage(emptyUsage, {
    inputTokens: input?.total ?? 0,
    outputTokens: output?.total ?? 0,
    cachedInputTokens: input?.cacheRead ?? 0,
    reasoningTokens: output?.reasoning ?? 0,
  });
}

/** The reply as a row of the next request. What a provider signed goes back to it. */
export function assistantRow({ content }: AiReply): AiMessage {
  const parts = content.flatMap((part): object[] => {
    const signed = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
    const { type, text, toolCallId, toolName, input = "" } = part;
    if (type === "text" || type === "reasoning") return [{ type, text, ...signed }];
    if (type === "tool-call") return [{ type, toolCallId, toolName, input: argumentsOf(input), ...signed }];
    return [];
  });
  return { role: "assistant", content: parts };
}

/** Providers take an object; arguments that are none are shown inside of one. */
function argumentsOf(input: string): unknown {
  const parsed = parseStrict(input);
  return parsed.ok && typeof parsed.value === "object" && parsed.value !== null
    ? parsed.value
    : { rawInvalidInput: input };
}

/** What a provider said against a request. */
export function refusalOf(error: unknown): ProviderRefusal {
  const {
    message,
    status,
    statusCode = status,
    responseBody,
  } = error as {
    readonly message?: unknown;
    readonly status?: unknown;
    readonly statusCode?: unknown;
    readonly responseBody?: unknown;
  };
  const said = [message, responseBody].filter((text) => typeof text === "string").join(" ");
  return { message: said, ...(typeof statusCode === "number" && { status: statusCode }) };
}
