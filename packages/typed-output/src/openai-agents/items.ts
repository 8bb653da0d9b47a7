import type { AiMessage, AiPart, AiReply } from "../model-turn/ai-model.ts";
import type { AgentItem, AgentsReply } from "./agents-model.ts";

/** A part that stands for an item; the item goes back to the model as it came. */
type ItemPart = AiPart & { readonly providerOptions?: { readonly item: AgentItem } };

const SEEN: ReadonlySet<unknown> = new Set(["message", "reasoning", "function_call"]);

/** A row that stands for one item of the conversation before the prompt. */
export function rowOf(item: AgentItem): AiMessage {
  return { role: "assistant", content: [{ type: "text", text: "", providerOptions: { item } }] };
}

/** The items of a row. */
export function itemsOf({ role, content }: AiMessage): readonly AgentItem[] {
  const parts = content as readonly ItemPart[];
  if (role === "assistant")
    return parts.flatMap(({ providerOptions }) => (providerOptions ? [providerOptions.item] : []));
  if (role === "tool") return parts.map(resultItem);
  return [{ type: "message", role, content: parts.map(({ text }) => ({ type: "input_text", text })) }];
}

function resultItem(part: AiPart): AgentItem {
  const { toolCallId: callId, toolName: name } = part;
  const { value } = (part as unknown as { readonly output: { readonly value: unknown } }).output;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return {
    type: "function_call_result",
    callId,
    name,
    status: "completed",
    output: { type: "text", text },
  };
}

/** A reply in the parts that a turn reads. An item that is no message, thought or function call came back already run. */
export function replyOf(reply: AgentsReply): AiReply {
  const { output, usage } = reply;
  return {
    content: output.map(partOf),
    finishReason: finishOf(reply),
    usage: {
      inputTokens: { total: usage.inputTokens, cacheRead: sum(usage.inputTokensDetails, "cached_tokens") },
      outputTokens: {
        total: usage.outputTokens,
        reasoning: sum(usage.outputTokensDetails, "reasoning_tokens"),
      },
    },
  };
}

function partOf(item: AgentItem): AiPart {
  const { type = "message" } = item;
  if (!SEEN.has(type))
    return { type: "tool-result", toolName: typeof item["name"] === "string" ? item["name"] : type };
  const providerMetadata = { item };
  if (type === "reasoning") return { type: "reasoning", text: "", providerMetadata };
  if (type === "message") return { type: "text", text: textOf(item), providerMetadata };
  const { callId, name, arguments: input } = item as AgentItem & Readonly<Record<string, string>>;
  return { type: "tool-call", toolCallId: callId!, toolName: name!, input: input!, providerMetadata };
}

interface Content {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
}

function contentOf(item: AgentItem): readonly Content[] {
  const content = item["content"];
  return Array.isArray(content) ? (content as readonly Content[]) : [];
}

function textOf(item: AgentItem): string {
  return contentOf(item)
    .map(({ text, refusal }) => text ?? refusal ?? "")
    .join("");
}

function finishOf({ output, providerData }: AgentsReply): AiReply["finishReason"] {
  const isRefusal = output.some((item) => contentOf(item).some(({ type }) => type === "refusal"));
  if (isRefusal) return { unified: "content-filter", raw: "refusal" };
  const said = saidReason(providerData);
  if (said === "length" || said === "max_output_tokens") return { unified: "length", raw: said };
  if (said === "content_filter") return { unified: "content-filter", raw: said };
  if (output.some(({ status }) => status === "incomplete")) return { unified: "length", raw: said };
  const isCalling = output.some(({ type }) => type === "function_call");
  return { unified: isCalling ? "tool-calls" : "stop", raw: said };
}

/** Of Responses the reason for an incomplete reply, of Chat Completions the finish reason. */
function saidReason(data: AgentsReply["providerData"]): string | undefined {
  const { incomplete_details: details, choices } = (data ?? {}) as {
    readonly incomplete_details?: { readonly reason?: string } | null;
    readonly choices?: readonly { readonly finish_reason?: string }[];
  };
  return details?.reason ?? choices?.[0]?.finish_reason;
}

function sum(details: readonly Readonly<Record<string, number>>[] | undefined, member: string): number {
  return (Array.isArray(details) ? details : []).reduce((total, one) => total + (one?.[member] ?? 0), 0);
}
