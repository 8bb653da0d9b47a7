import { newId, parseStrict, type JsonValue } from "@basis/core";
import { RefusedCall, type AiCallOptions } from "../ai-sdk/ai-tool.ts";
import type { ApproveToolsOptions } from "../ai-sdk/approve-tools.ts";
import { GatedTool } from "../ai-sdk/gated-tool.ts";
import { ApprovalError } from "../approval-error.ts";
import type { ApprovalGate } from "../gate.ts";
import { heldTo, isApproved, whyUngated, type FunctionTool, type ToolDetails } from "./agent-tool.ts";

/** A call on its way through the gate. */
interface GatedCall extends AiCallOptions {
  readonly context: unknown;
  readonly details: ToolDetails | undefined;
}

/**
 * A frozen list of the function tools of an agent of `@openai/agents` 0.20 in which a call runs only when the gate allows it,
 * with exactly the input that was allowed. A parked question becomes an interruption of the run, which `state.approve`
 * answers. Put the guards of `@basis/hooks` outside of it.
 *
 * @throws ApprovalError `unguarded_tool` naming a tool that can run without the gate.
 */
export function approveTools<Tool extends object>(
  tools: readonly Tool[],
  gate: Pick<ApprovalGate, "authorize" | "redeem">,
  options: ApproveToolsOptions,
): Tool[] {
  const outside = new Set(options.outside);
  const gated = (tools as readonly (Tool & FunctionTool)[]).map((tool) => {
    if (outside.has(tool?.name)) return tool;
    const reason = whyUngated(tool);
    if (reason === undefined) return gateTool(tool, gate, options) as unknown as Tool;
    throw new ApprovalError("unguarded_tool", `the tool '${tool?.name ?? "?"}' ${reason}`, {
      details: { tool: tool?.name ?? "?", reason },
    });
  });
  return Object.freeze(gated) as Tool[];
}

function gateTool(
  tool: FunctionTool,
  gate: Pick<ApprovalGate, "authorize" | "redeem">,
  options: ApproveToolsOptions,
): FunctionTool {
  const { name } = tool;
  const execute = (input: unknown, { context, details }: GatedCall): unknown =>
    runHeld(tool, input as JsonValue, { context, details });
  const gated = new GatedTool({ name, tool: { execute: execute as never }, gate, options });
  const invoke: FunctionTool["invoke"] = async (context, input, details) => {
    const parsed = parseStrict(input === "" ? "{}" : input);
    if (!parsed.ok) return `Invalid input for '${name}': ${parsed.message}`;
    try {
      return await gated.execute(parsed.value, callOf(name, context, details));
    } catch (error) {
      if (error instanceof RefusedCall) return error.message;
      throw error;
    }
  };
  const needsApproval: FunctionTool["needsApproval"] = async (context, input, callId) =>
    (await tool.needsApproval(context, input, callId)) ||
    gated.needsApproval(input, { toolCallId: callId ?? newId() });
  const descriptors = Object.getOwnPropertyDescriptors(tool);
  const copy = Object.create(Object.getPrototypeOf(tool) as object, descriptors) as FunctionTool;
  return Object.assign(copy, { invoke, needsApproval });
}

/** The call as the gate reads it: the person's yes stands in the run's context. */
function callOf(name: string, context: unknown, details: ToolDetails | undefined): GatedCall {
  const toolCallId = details?.toolCall?.callId ?? newId();
  const asked = { type: "tool-approval-request", toolCallId, approvalId: toolCallId };
  const yes = { type: "tool-approval-response", approvalId: toolCallId, approved: true };
  const messages = isApproved(context, name, details) ? [{ content: [asked, yes] }] : [];
  return { toolCallId, messages, abortSignal: details?.signal, context, details };
}

async function runHeld(
  tool: FunctionTool,
  input: JsonValue,
  { context, details }: Pick<GatedCall, "context" | "details">,
): Promise<unknown> {
  let isConverted = false;
  const held = heldTo(input, details, () => (isConverted = true));
  const refused = new RefusedCall(
    `Tool execution denied: the schema of '${tool.name}' makes another input of it`,
  );
  try {
    const output = await tool.invoke(context, JSON.stringify(input), held);
    if (!isConverted) return output;
  } catch (error) {
    if (!isConverted) throw error;
  }
  throw refused;
}
