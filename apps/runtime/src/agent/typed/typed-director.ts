import type {
  OutputBound,
  OutputStatus,
  ResponseFormat as OutputFormat,
  TerminalGate,
} from "@basis/typed-output";
import type { JsonValue, StoppedBy, ToolCall } from "@basis/core";
import type { FinishReason, ResponseFormat, ToolDefinition } from "../../providers/model.ts";
import { isModelError, type ProviderAnswer } from "../../providers/model-error.ts";
import type { AnswerReader, RoundAnswer, RoundOffer } from "../model/ask-model.ts";
import { dispatchRound, type RoundPorts } from "../calls/dispatch-round.ts";
import type { QueuedCall } from "../calls/queued-call.ts";
import type { RunContext } from "../run/run-context.ts";
import { commitOwn, settleTerminal } from "./settle-terminal.ts";
import type { AttemptQueue } from "./tell-attempts.ts";
import { textOf } from "../transcript/tool-message.ts";
import type { EndStep, NextRound, NextStep, TurnDirector } from "../turn/turn-director.ts";

/** What a typed turn is directed with. */
export interface TypedTurn {
  readonly gate: TerminalGate;
  /** The agent's own tools. */
  readonly tools: readonly ToolDefinition[];
  readonly attempts: AttemptQueue;
}

/** A turn that ends with a checked value: the gate of `@basis/typed-output` decides, this loop obeys. */
export class TypedDirector implements TurnDirector {
  readonly endsWithProse = false;
  readonly #turn: TypedTurn;
  readonly #ports: RoundPorts;
  readonly #candidates = new Map<string, JsonValue>();
  /** The round's calls as they were written: numbers may hold more digits than the row keeps. */
  readonly #written = new Map<string, string>();
  #closing = false;

  constructor(turn: TypedTurn, ports: RoundPorts) {
    this.#turn = turn;
    this.#ports = ports;
  }

  next(run: RunContext): NextRound {
    const { gate, tools } = this.#turn;
    this.#written.clear();
    const bound = this.#closing ? undefined : run.bounds.exceeded();
    if (bound !== undefined) {
      const verdict = gate.bounded(gateBound(bound));
      if (verdict.kind === "end") return { kind: "end", stoppedBy: bound, output: verdict.status };
      this.#closing = true;
    }
    const next = gate.offer();
    if (next.kind === "end") return endStep(run, next.status);
    const { terminal, format, message } = next;
    const own: readonly ToolDefinition[] = terminal ? [terminal] : [];
    const offer: RoundOffer = {
      tools: next.tools === "all" ? [...tools, ...own] : own,
      toolChoice: next.choice,
      ...(format && { responseFormat: formatOf(format) }),
      reader: this.#reader(),
    };
    return { kind: "round", offer, message };
  }

  refused(error: unknown): boolean {
    if (!isModelError(error)) return false;
    const { status, param } = error.details as ProviderAnswer;
    // A status says by itself whether it can be a refusal: a gateway tells with 404 that nobody takes the request.
    if (status === undefined && error.code !== "bad_request") return false;
    const refusal = {
      message: error.message,
      ...(status !== undefined && { status }),
      ...(param !== undefined && { param }),
    };
    return this.#turn.gate.refused(refusal).kind === "retry";
  }

  async calls(run: RunContext, calls: readonly QueuedCall[], answer: RoundAnswer): Promise<NextStep> {
    const { gate } = this.#turn;
    const known = new Map(calls.map((call) => [call.toolCallId, call]));
    const find = (call: ToolCall): QueuedCall => known.get(call.toolCallId)!;
    const admission = gate.admit(
      calls.map((call) => this.#asWritten(call)),
      this.#facts(run, answer),
    );
    for (const { call, result } of admission.refused) await commitOwn(run, find(call), result);
    for (const call of admission.terminal) {
      const candidate = await settleTerminal(run, find(call), { gate, written: call, ports: this.#ports });
      this.#candidates.set(call.toolCallId, candidate);
    }
    const siblings = admission.siblings();
    for (const { call, result } of siblings.refused) await commitOwn(run, find(call), result);
    const { outcomes, parked } = await dispatchRound(run, siblings.run.map(find), this.#ports);
    if (parked !== undefined) return { kind: "parked", approvalId: parked };
    const verdict = gate.close(outcomes.map(({ call, result }) => ({ call: asToolCall(call), result })));
    for (const { call, result } of verdict.results) await commitOwn(run, find(call), result);
    this.#tellAttempts(run, answer, verdict.kind === "end");
    return verdict.kind === "end" ? endStep(run, verdict.status) : { kind: "continue" };
  }

  async prose(run: RunContext, answer: RoundAnswer): Promise<NextStep> {
    const verdict = await this.#turn.gate.ended(this.#facts(run, answer));
    this.#tellAttempts(run, answer, verdict.kind === "end");
    return verdict.kind === "end" ? endStep(run, verdict.status) : { kind: "continue" };
  }

  #asWritten(call: QueuedCall): ToolCall {
    const { toolCallId, toolName, inputJson } = call;
    return { toolCallId, toolName, input: this.#written.get(toolCallId) ?? inputJson };
  }

  /** Hands the pieces of an answer to the gate. */
  #reader(): AnswerReader {
    const { gate } = this.#turn;
    return {
      text: (piece) => void gate.delta({ text: piece }),
      input: (piece) => gate.delta(piece),
      call: ({ toolCallId, input }) => {
        // of two calls with one id the second gets another in its row
        if (!this.#written.has(toolCallId)) this.#written.set(toolCallId, input);
      },
      restart: () => {
        this.#written.clear();
        gate.delta({ restart: true });
      },
    };
  }

  #tellAttempts(run: RunContext, answer: RoundAnswer, last: boolean): void {
    const text = textOf(answer.message);
    this.#turn.attempts.tell(run, {
      candidateOf: ({ toolCallId = "" }) => this.#candidates.get(toolCallId) ?? text,
      last,
    });
    this.#candidates.clear();
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

/** A turn without an accepted answer is not a completed one. */
function endStep(run: RunContext, status: OutputStatus): EndStep {
  if (status === "accepted") return { kind: "end", output: status };
  const bound = status === "bounded" ? (run.bounds.exceeded() ?? run.bounds.closest()) : undefined;
  return { kind: "end", stoppedBy: bound ?? "output", output: status };
}

function formatOf({ name, description, schema, strict }: OutputFormat): ResponseFormat {
  return { name, ...(description !== "" && { description }), schema, ...(strict === true && { strict }) };
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
