import type { OutputBound, TerminalGate } from "@basis/typed-output";
import type { StoppedBy, ToolCall } from "@basis/core";
import type { Tool } from "../tools/tool.ts";
import type { FinishReason, ToolDefinition } from "../providers/model.ts";
import { isModelError } from "../providers/model-error.ts";
import type { RoundAnswer, RoundOffer } from "./ask-model.ts";
import { dispatchRound, type RoundPorts } from "./dispatch-round.ts";
import type { QueuedCall } from "./queued-call.ts";
import type { RunContext } from "./run-context.ts";
import { commitOwn, settleTerminal } from "./settle-terminal.ts";
import { textOf } from "./tool-message.ts";
import type { NextRound, NextStep, TurnDirector } from "./turn-director.ts";

/** A turn that ends with a checked value: the gate of `@basis/typed-output` decides, this loop obeys. */
export class TypedDirector implements TurnDirector {
  readonly #gate: TerminalGate;
  readonly #tools: readonly ToolDefinition[];
  readonly #ports: RoundPorts;
  #terminal: Tool | undefined;
  #attempt = 0;
  #closing = false;

  constructor(gate: TerminalGate, tools: readonly ToolDefinition[], ports: RoundPorts) {
    this.#gate = gate;
    this.#tools = tools;
    this.#ports = ports;
  }

  next(run: RunContext): NextRound {
    const bound = this.#closing ? undefined : run.bounds.exceeded();
    if (bound !== undefined) {
      if (this.#gate.bounded(gateBound(bound)).kind === "end") return { kind: "end", stoppedBy: bound };
      this.#closing = true;
    }
    const next = this.#gate.offer();
    if (next.kind === "end") return { kind: "end" };
    const { terminal, format, message } = next;
    if (terminal) this.#terminal ??= terminalAsTool(terminal);
    const own: readonly ToolDefinition[] = terminal ? [terminal] : [];
    const offer: RoundOffer = {
      tools: next.tools === "all" ? [...this.#tools, ...own] : own,
      toolChoice: next.choice,
      ...(format && { responseFormat: { name: format.name, schema: format.schema } }),
    };
    return { kind: "round", offer, message };
  }

  refused(error: unknown): boolean {
    if (!isModelError(error) || error.code !== "bad_request") return false;
    const { status } = error.details;
    return (
      this.#gate.refused({ ...(status === undefined ? {} : { status }), message: error.message }).kind ===
      "retry"
    );
  }

  async calls(run: RunContext, calls: readonly QueuedCall[], answer: RoundAnswer): Promise<NextStep> {
    const known = new Map(calls.map((call) => [call.toolCallId, call]));
    const find = (call: ToolCall): QueuedCall => known.get(call.toolCallId)!;
    const admission = this.#gate.admit(calls.map(asToolCall), this.#facts(run, answer));
    for (const { call, result } of admission.refused) await commitOwn(run, find(call), result);
    for (const call of admission.terminal) {
      this.#attempt += 1;
      await settleTerminal(run, find(call), {
        gate: this.#gate,
        tool: this.#terminal!,
        attempt: this.#attempt,
        ports: this.#ports,
      });
    }
    const siblings = admission.siblings();
    for (const { call, result } of siblings.refused) await commitOwn(run, find(call), result);
    const { outcomes, parked } = await dispatchRound(run, siblings.run.map(find), this.#ports);
    if (parked !== undefined) return { kind: "parked", approvalId: parked };
    const verdict = this.#gate.close(
      outcomes.map(({ call, result }) => ({ call: asToolCall(call), result })),
    );
    for (const { call, result } of verdict.results) await commitOwn(run, find(call), result);
    return { kind: verdict.kind };
  }

  async prose(run: RunContext, answer: RoundAnswer): Promise<NextStep> {
    return { kind: (await this.#gate.ended(this.#facts(run, answer))).kind };
  }

  #facts(run: RunContext, answer: RoundAnswer) {
    return {
      finish: gateFinish(answer.finishReason),
      usage: answer.usage,
      text: textOf(answer.message),
      agentId: run.agent.agentId,
    } as const;
  }
}

function asToolCall(call: QueuedCall): ToolCall {
  return { toolCallId: call.toolCallId, toolName: call.toolName, input: call.inputJson };
}

function gateFinish(reason: FinishReason): Exclude<FinishReason, "error"> {
  return reason === "error" ? "other" : reason;
}

function gateBound(bound: StoppedBy): OutputBound {
  return bound === "stop" || bound === "output" ? "rounds" : bound;
}

/** The terminal tool as guards see it. It is never executed. */
function terminalAsTool(terminal: ToolDefinition): Tool {
  return {
    ...terminal,
    effect: "answer",
    level: "none",
    source: "builtin",
    parallelSafe: () => false,
    execute: () => Promise.reject(new Error("a terminal tool is settled, not executed")),
  };
}
