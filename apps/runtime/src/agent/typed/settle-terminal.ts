import type { JsonValue, ToolCall, ToolResult } from "@basis/core";
import type { SettleContext, TerminalGate } from "@basis/typed-output";
import type { Tool, ToolOutcome } from "../../tools/tool.ts";
import { CallGuards } from "../calls/call-guards.ts";
import type { RoundPorts } from "../calls/dispatch-round.ts";
import { eventCall, type QueuedCall } from "../calls/queued-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { storable, storedMessage } from "../transcript/storable.ts";
import { toolMessage } from "../transcript/tool-message.ts";

/** What settling a terminal call needs beside the run. */
export interface TerminalPorts {
  readonly gate: TerminalGate;
  /** The call as the model wrote it. */
  readonly written: ToolCall;
  readonly ports: RoundPorts;
}

/**
 * Sends an answer through the guards and to its gate, and answers what the guards left: the candidate. Nobody is asked
 * for an approval; a guard may change what the transcript shows of the result, never the accepted value.
 */
export async function settleTerminal(
  run: RunContext,
  call: QueuedCall,
  { gate, written, ports }: TerminalPorts,
): Promise<JsonValue> {
  const guards = new CallGuards(run, call, { tool: terminalTool(gate.toolName), trail: ports.trail });
  try {
    const { context, candidate } = await readCandidate(guards, call);
    const settlement = await gate.settle(written, context);
    if (settlement.kind !== "hold") {
      const shown = await guards.result(candidate, namingHook(settlement.result, context));
      await commitOwn(run, call, shown);
    }
    return candidate;
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

/** A model that is told what is wrong with its answer has to know when it is not its own any more. */
function namingHook(result: ToolResult, { rewrite }: SettleContext): ToolResult {
  if (rewrite === undefined || !result.isError) return result;
  const told = typeof result.output === "string" ? result.output : JSON.stringify(result.output);
  return { ...result, output: `The answer was rewritten by ${rewrite.by} before it was checked.\n${told}` };
}

/** The terminal tool as guards see it. It is never executed. */
function terminalTool(name: string): Tool {
  return {
    name,
    description: "",
    inputSchema: {},
    effect: "answer",
    level: "none",
    source: "builtin",
    parallelSafe: () => false,
    execute: () => Promise.reject(new Error("a terminal tool is settled, not executed")),
  };
}

/** Commits a result that the host itself gives to a call. */
export async function commitOwn(
  run: RunContext,
  call: QueuedCall,
  result: ToolResult | ToolOutcome,
): Promise<void> {
  const { output, isError } = storable(result);
  const { from, ids } = await run.writer.append([storedMessage(toolMessage(call, result))], {
    turnId: run.scope.run,
  });
  const place = { row: from, message_id: ids[0]! };
  run.emit("tool_completed", { ...eventCall(call), ...place, output: output as never, is_error: isError });
}
