import type { ApproveToolsOptions } from "../binding/approval-options.ts";
import type { CallGate } from "../binding/gated-calls.ts";
import { ungated } from "../binding/refused-call.ts";
import { whyUngated, type AiTool } from "./ai-tool.ts";
import { GatedTool } from "./gated-tool.ts";

/**
 * A frozen copy of a toolset of ai 6 or 7 in which a call runs only when the gate allows it, with exactly the input that was
 * allowed. A parked question becomes the framework's own question to the user. Put the guards of `@basis/hooks` outside of it.
 *
 * @throws ApprovalError `unguarded_tool` naming a tool that can run without the gate.
 */
export function approveTools<Tools extends object>(
  tools: Tools,
  gate: CallGate,
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
  readonly gate: CallGate;
  readonly options: ApproveToolsOptions;
}

function gateTool(name: string, tool: AiTool, gating: Gating): AiTool {
  const reason = whyUngated(tool);
  if (reason !== undefined) throw ungated(name, reason);
  const gated = new GatedTool({ name, tool, ...gating });
  const streams = Object.prototype.toString.call(tool.execute) === "[object AsyncGeneratorFunction]";
  const execute = streams ? gated.stream : gated.execute;
  const copy = { ...tool, execute, needsApproval: gated.needsApproval };
  const caller = tool.experimental_toolCaller;
  if (caller === undefined) return copy;
  const bind = (others: object): AiTool => gateTool(name, caller.bind(others), gating);
  return Object.defineProperty(copy, "experimental_toolCaller", { value: { ...caller, bind } });
}
