import type { AskedCall } from "../binding/gated-calls.ts";
import { whyGuardedInside } from "../binding/refused-call.ts";

/** What the framework hands to a tool beside its input. */
export interface AiCallOptions {
  readonly toolCallId: string;
  readonly messages?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Code that calls other tools; ai 7 finds it under a member that no copy takes along. */
interface AiToolCaller {
  readonly type: string;
  bind(tools: object): AiTool;
}

/** A tool of the AI SDK, as far as an approval looks at it. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly isProviderExecuted?: boolean | undefined;
  readonly execute?: ((input: unknown, options: AiCallOptions) => unknown) | undefined;
  readonly needsApproval?: unknown;
  readonly experimental_toolCaller?: AiToolCaller | undefined;
}

/** Why no gate can stand before a tool, as words after its name; undefined when one can. */
export function whyUngated(tool: AiTool): string | undefined {
  if (typeof tool !== "object" || tool === null) return "is no tool";
  if ("parameters" in tool && !("inputSchema" in tool))
    return "has parameters in place of an inputSchema, as in ai 4: @basis/approval/ai-sdk needs ai 6 or 7";
  if (typeof tool.execute !== "function" || tool.isProviderExecuted === true)
    return "is run by the provider or the client, not here";
  if (Symbol.for("vercel.ai.toolSearch") in tool)
    return "is a tool search, whose execute the framework replaces";
  if (tool.needsApproval !== undefined)
    return "has a needsApproval of its own, in whose place the gate would stand: take one of the two out";
  return whyGuardedInside(tool);
}

/** What the conversation says about a call: whether a person was asked, and said yes. */
export function answerIn({ messages = [], toolCallId }: AiCallOptions): AskedCall["answer"] {
  const parts = messages.flatMap((message) => {
    const { content } = message as { readonly content?: unknown };
    return Array.isArray(content) ? (content as Record<string, unknown>[]) : [];
  });
  const asked = parts.findLast(
    (part) => part["type"] === "tool-approval-request" && part["toolCallId"] === toolCallId,
  );
  if (asked === undefined) return "unasked";
  const yes = parts.some(
    (part) =>
      part["type"] === "tool-approval-response" &&
      part["approvalId"] === asked["approvalId"] &&
      part["approved"] === true,
  );
  return yes ? "approved" : "asked";
}
