import { newId } from "@basis/core";
import { providerTool } from "@basis/core/provider-tools";
import type { ApprovalCallsOptions } from "../binding/approval-options.ts";
import { GatedCalls, type AskedCall, type CallGate, type ParkedCall } from "../binding/gated-calls.ts";
import { RefusedCall, ungated } from "../binding/refused-call.ts";
import {
  foreignTool,
  type ApprovalAnswer,
  type ApprovalHooks,
  type ApprovalQuestion,
  type LangChain,
  type LangChainTool,
  type ToolCallRequest,
} from "./lang-chain.ts";
import { finalInput, heldTo } from "./tool-input.ts";

/** Whose calls are asked about, and how. */
export interface ApprovalMiddlewareOptions extends ApprovalCallsOptions {
  /** Names (or types) of tools that may run without the gate. */
  readonly outside?: readonly string[] | undefined;
}

/**
 * A middleware of langchain 1 in which a tool call of an agent runs only when the gate allows it, with exactly the input that
 * was allowed. A parked question interrupts the run with an `ApprovalQuestion`; `new Command({ resume })` with an
 * `ApprovalAnswer` goes on. Hand it to `guardMiddleware` of `@basis/hooks` as `approvals`, or make it the last one.
 *
 * @throws ApprovalError `unguarded_tool` when `langchain` is no langchain 1; and in a run, naming a tool that it would
 * offer to the model although no gate could stand before it, or that the provider ran by itself.
 */
export function approvalMiddleware<Middleware>(
  langchain: LangChain<Middleware>,
  gate: CallGate,
  options: ApprovalMiddlewareOptions,
): Middleware {
  if (typeof langchain?.createMiddleware !== "function" || typeof langchain.ToolMessage !== "function")
    throw ungated("*", "stays without a gate: @basis/approval/langchain needs the module of langchain 1");
  const { outside = [] } = options;
  const hooks: ApprovalHooks = {
    name: "approvals",
    wrapToolCall: async (request, handler) => {
      const { name } = request.toolCall;
      if (outside.includes(name)) return handler(request as never) as never;
      const calls = new GatedCalls({ name, gate, options });
      try {
        return (await handler((await allowed(request, calls)) as never)) as never;
      } catch (error) {
        if (!(error instanceof RefusedCall)) throw error;
        return refusal(langchain, request, error.message) as never;
      }
    },
    wrapModelCall: async (request, handler) => {
      const foreign = foreignTool(request, outside);
      if (foreign !== undefined) throw ungated(foreign, "does not run in this process, behind the gate");
      const reply = await handler(request as never);
      const ran = providerTool(reply, outside);
      if (ran !== undefined) throw ungated(ran, "was run by the provider, where no gate could stop it");
      return reply as never;
    },
  };
  return langchain.createMiddleware(hooks);
}

/** The request as it may run. Throws what the model reads instead, or the interrupt of the run. */
async function allowed(request: ToolCallRequest, calls: GatedCalls): Promise<ToolCallRequest> {
  const { toolCall, runtime } = request;
  const tool: LangChainTool | undefined = request.tool;
  if (typeof tool?.invoke !== "function")
    throw new RefusedCall(`Error: ${toolCall.name} is not a valid tool.`);
  const asked: AskedCall = {
    toolCallId: toolCall.id ?? newId(),
    abortSignal: runtime.signal,
    answer: "unasked",
  };
  const final = await finalInput(tool, toolCall.args);
  const parked = await calls.parked(final, asked);
  const call = parked ? { ...asked, ...answerOf(parked, runtime) } : asked;
  const input = await calls.allowed(final, call);
  return { ...request, toolCall: { ...toolCall, args: input }, tool: heldTo(tool, input) };
}

/** What a person said. Asked for the first time, the run ends here with the question. */
function answerOf(
  { approvalId, request }: ParkedCall,
  { interrupt }: ToolCallRequest["runtime"],
): Pick<AskedCall, "answer" | "reason"> {
  const { toolName, callId: toolCallId = "", input, preview } = request;
  const question: ApprovalQuestion = {
    approvalId,
    toolName,
    toolCallId,
    input,
    ...(preview !== undefined && { preview }),
  };
  const said = Object(interrupt?.(question as never)) as Partial<ApprovalAnswer>;
  const isAbout = said.approvalId === approvalId;
  if (isAbout && said.decision === "allow") return { answer: "approved" };
  if (isAbout && said.decision === "deny") return { answer: "denied", reason: said.reason };
  return { answer: "asked" };
}

function refusal({ ToolMessage }: LangChain<unknown>, { toolCall }: ToolCallRequest, text: string): object {
  return new ToolMessage({
    content: text as never,
    tool_call_id: toolCall.id ?? "",
    name: toolCall.name,
    status: "error",
  });
}
