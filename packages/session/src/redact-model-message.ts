import type { ModelMessage, ModelMessagePart } from "./model-message-shape.ts";

/** What stands in place of what was said. */
export const redactedText = "[redacted]";

type Part = ModelMessagePart & Readonly<Record<string, unknown>>;

/** An AI SDK message without what it said: calls, results and approvals keep their ids and tool names. */
export function redactModelMessage(message: ModelMessage): ModelMessage {
  const { role, content } = message;
  if (typeof content === "string") return { role, content: redactedText };
  const parts = (content as readonly Part[]).flatMap((part) => redactPart(part, role));
  return { role, content: parts.length === 0 ? redactedText : parts };
}

function redactPart(part: Part, role: ModelMessage["role"]): readonly ModelMessagePart[] {
  const { type } = part;
  switch (type) {
    case "tool-call":
      return [{ ...named(part), input: {} }];
    case "tool-result":
      return [{ ...named(part), output: { type: "text", value: redactedText } }];
    case "tool-approval-request":
      return [{ type, approvalId: part.approvalId!, toolCallId: part.toolCallId! }];
    case "tool-approval-response":
      return [{ type, approvalId: part.approvalId!, approved: part["approved"] }];
    default:
      return role === "tool" ? [] : [{ type: "text", text: redactedText }];
  }
}

function named({ type, toolCallId, toolName }: Part): ModelMessagePart {
  return { type, toolCallId: toolCallId!, toolName };
}
