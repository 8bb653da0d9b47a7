import { newId, parseStrict, type JsonValue } from "@basis/core";
import type { ApproveToolsOptions } from "../binding/approval-options.ts";
import { GatedCalls, type AskedCall, type CallGate } from "../binding/gated-calls.ts";
import { isUnshown, RefusedCall, ungated } from "../binding/refused-call.ts";
import { heldTo, isApproved, whyUngated, type FunctionTool, type ToolDetails } from "./agent-tool.ts";

/**
 * A frozen list of the function tools of an agent of `@openai/agents` 0.20 in which a call runs only when the gate allows it,
 * with exactly the input that was allowed. A parked question becomes an interruption of the run, which `state.approve`
 * answers. Put the guards of `@basis/hooks` outside of it.
 *
 * @throws ApprovalError `unguarded_tool` naming a tool that can run without the gate.
 */
export function approveTools<Tool extends object>(
  tools: readonly Tool[],
  gate: CallGate,
  options: ApproveToolsOptions,
): Tool[] {
  const outside = new Set(options.outside);
  const gated = (tools as readonly (Tool & FunctionTool)[]).map((tool) => {
    if (outside.has(tool?.name)) return tool;
    const reason = whyUngated(tool);
    if (reason === undefined) return gateTool(tool, gate, options) as unknown as Tool;
    throw ungated(tool?.name ?? "?", reason);
  });
  return Object.freeze(gated) as Tool[];
}

function gateTool(tool: FunctionTool, gate: CallGate, options: ApproveToolsOptions): FunctionTool {
  const { name } = tool;
  const calls = new GatedCalls({ name, gate, options });
  const invoke: FunctionTool["invoke"] = async (context, input, details) => {
    const parsed = parseStrict(input === "" ? "{}" : input);
    if (!parsed.ok) return `Invalid input for '${name}': ${parsed.message}`;
    try {
      const allowed = await calls.allowed(parsed.value, callOf(name, context, details));
      return await runHeld(tool, allowed, { context, details });
    } catch (error) {
      if (error instanceof RefusedCall) return error.message;
      throw error;
    }
  };
  const needsApproval: FunctionTool["needsApproval"] = async (context, input, ...[callId, about]) => {
    const call = { toolCallId: callId ?? newId(), answer: "unasked", isUnshown: isUnshown(about) } as const;
    // Both are asked: one yes of the person answers them both.
    const parked = await calls.parked(input, call);
    return parked !== undefined || tool.needsApproval(context, input, callId);
  };
  // Also of a frozen tool, and with what is named by symbols or not enumerated.
  const own = Object.getOwnPropertyDescriptors(tool);
  const descriptors = { ...own, ...Object.getOwnPropertyDescriptors({ invoke, needsApproval }) };
  return Object.create(Object.getPrototypeOf(tool) as object, descriptors) as FunctionTool;
}

/** The call as the gate reads it: the person's yes stands in the run's context. */
function callOf(name: string, context: unknown, details: ToolDetails | undefined): AskedCall {
  const answer = isApproved(context, name, details) ? "approved" : "unasked";
  return { toolCallId: details?.toolCall?.callId ?? newId(), abortSignal: details?.signal, answer };
}

/** What the tool is called with beside its input. */
interface Held {
  readonly context: unknown;
  readonly details: ToolDetails | undefined;
}

async function runHeld(tool: FunctionTool, input: JsonValue, { context, details }: Held): Promise<unknown> {
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
