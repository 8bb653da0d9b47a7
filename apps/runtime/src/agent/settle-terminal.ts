import type { JsonValue, ToolResult } from "@basis/core";
import type { SettleContext, TerminalGate } from "@basis/typed-output";
import type { Tool, ToolOutcome } from "../tools/tool.ts";
import { CallGuards } from "./call-guards.ts";
import type { RoundPorts } from "./dispatch-round.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";
import { toolMessage } from "./tool-message.ts";

/** What settling a terminal call needs beside the run. */
export interface TerminalPorts {
  readonly gate: TerminalGate;
  readonly tool: Tool;
  readonly attempt: number;
  readonly ports: RoundPorts;
}

/**
 * Sends an answer through the guards and to its gate. What the guards leave is the candidate; nobody is asked for an
 * approval; a guard may change what the transcript shows of the result, never the accepted value.
 */
export async function settleTerminal(
  run: RunContext,
  call: QueuedCall,
  terminal: TerminalPorts,
): Promise<void> {
  const { gate, tool, attempt, ports } = terminal;
  run.emit("tool_queued", { ...eventCall(call), input: call.input as never });
  const guards = new CallGuards(run, call, { tool, trail: ports.trail });
  try {
    const { context, candidate } = await readCandidate(guards, call);
    const facts = { attempt, tool_call_id: call.toolCallId };
    run.emit("output_attempted", { ...facts, candidate: candidate as never });
    const settlement = await gate.settle({ ...call, input: call.inputJson }, context);
    if (settlement.kind === "hold") return;
    if (settlement.kind === "accept")
      run.emit("output_accepted", { ...facts, candidate: candidate as never });
    else {
      const last = settlement.kind === "end";
      run.emit("output_rejected", { ...facts, feedback: settlement.result.output as never, last });
    }
    const shown = await guards.result(candidate, settlement.result);
    await commitOwn(run, call, shown);
  } finally {
    guards.close();
  }
}

async function readCandidate(
  guards: CallGuards,
  call: QueuedCall,
): Promise<{ context: SettleContext; candidate: JsonValue }> {
  const guarded = await guards.input();
  if (guarded.decision === "deny") {
    return { context: { denied: { by: guarded.by, message: guarded.reason } }, candidate: call.input };
  }
  if (guarded.rewrittenBy === undefined) return { context: {}, candidate: guarded.input };
  return {
    context: { rewrite: { by: guarded.rewrittenBy, value: guarded.input } },
    candidate: guarded.input,
  };
}

/** Commits a result that the host itself gives to a call. */
export async function commitOwn(
  run: RunContext,
  call: QueuedCall,
  result: ToolResult | ToolOutcome,
): Promise<void> {
  const { from } = await run.writer.append([toolMessage(call, result)], { turnId: run.scope.run });
  run.emit("tool_completed", {
    ...eventCall(call),
    row: from,
    output: result.output as never,
    is_error: result.isError,
  });
}
