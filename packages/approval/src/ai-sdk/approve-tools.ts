import type { JsonValue } from "@basis/core";
import { ApprovalError } from "../approval-error.ts";
import type { ApprovalRequest } from "../approval-request.ts";
import type { ApprovalStore } from "../approval-store.ts";
import type { ApprovalGate } from "../gate.ts";
import { whyUngated, type AiTool } from "./ai-tool.ts";
import { GatedTool } from "./gated-tool.ts";

/** A call as a host is asked about it. */
export interface ApprovedCall {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The final input, exactly as the tool will get it. */
  readonly input: JsonValue;
}

/** What a host knows of a call beside its name and input. */
export type CallFacts = Omit<
  Partial<ApprovalRequest>,
  "callKey" | "callId" | "agentId" | "toolName" | "input" | "digest"
>;

/** Whose calls are asked about, and how. */
export interface ApproveToolsOptions {
  readonly agentId: string;
  /**
   * Level, preview, directory, plan digest … of a call. Asked when the call is judged and again just before it runs:
   * a difference makes its approval stale. Default: nothing is known, so a call counts as `external`.
   */
  readonly facts?: ((call: ApprovedCall) => CallFacts | PromiseLike<CallFacts>) | undefined;
  /**
   * The gate's own store. With it a person's answer in the conversation counts: it answers the parked question
   * of that call, for the very input that was asked about. Without it, questions are answered in the store alone.
   */
  readonly store?: ApprovalStore | undefined;
  /** Who answers in the conversation, as the host names people. Default `the user`. */
  readonly answeredBy?: string | undefined;
  /** A key of the call that is unique in the store: providers repeat their call ids. Default: agent and call id. */
  readonly callKey?: ((call: ApprovedCall) => string) | undefined;
  /** Names of tools that may run without the gate. They are left as they are. */
  readonly outside?: readonly string[] | undefined;
}

/**
 * A frozen copy of a toolset of ai 6 or 7 in which a call runs only when the gate allows it, with exactly the input that was
 * allowed. A parked question becomes the framework's own question to the user. Put the guards of `@basis/hooks` outside of it.
 *
 * @throws ApprovalError `unguarded_tool` naming a tool that can run without the gate.
 */
export function approveTools<Tools extends object>(
  tools: Tools,
  gate: Pick<ApprovalGate, "authorize" | "redeem">,
  options: ApproveToolsOptions,
): Tools {
  const outside = new Set(options.outside);
  const gated = Object.entries(tools).map(([name, tool]: [string, AiTool]) => [
    name,
    outside.has(name) ? tool : gateTool(name, tool, { gate, options }),
  ]);
  return Object.freeze(Object.fromEntries(gated)) as Tools;
}

interface Gating {
  readonly gate: Pick<ApprovalGate, "authorize" | "redeem">;
  readonly options: ApproveToolsOptions;
}

function gateTool(name: string, tool: AiTool, gating: Gating): AiTool {
  const reason = whyUngated(tool);
  if (reason !== undefined)
    throw new ApprovalError("unguarded_tool", `the tool '${name}' ${reason}`, {
      details: { tool: name, reason },
    });
  const gated = new GatedTool({ name, tool, ...gating });
  const streams = Object.prototype.toString.call(tool.execute) === "[object AsyncGeneratorFunction]";
  const execute = streams ? gated.stream : gated.execute;
  const copy = { ...tool, execute, needsApproval: gated.needsApproval };
  const caller = tool.experimental_toolCaller;
  if (caller === undefined) return copy;
  const bind = (others: object): AiTool => gateTool(name, caller.bind(others), gating);
  return Object.defineProperty(copy, "experimental_toolCaller", { value: { ...caller, bind } });
}
