import {
  addUsage,
  DeadlineError,
  emptyUsage,
  newId,
  type JsonValue,
  type RunReport,
  type ToolCall,
  type ToolResult,
} from "@basis/core";
import type { RoundOffer, SiblingOutcome } from "../terminal-gate.ts";
import { errorResult, words } from "../terminal-tool.ts";
import type { TurnRequest } from "../turn-runner.ts";
import type { AiMessage, AiModel, AiReply } from "./ai-model.ts";
import type { ModelRunnerOptions } from "./model-runner.ts";
import { offered, toolRow, withParts } from "./request.ts";
import { assistantRow, callsOf, finishOf, foreignCall, refusalOf, textOf, usageOf } from "./reply.ts";
import type { Toolset } from "./toolset.ts";

/** What one run is made of. */
export interface ModelTurnParts {
  readonly model: AiModel;
  readonly toolset: Toolset;
  readonly options: ModelRunnerOptions;
  readonly request: TurnRequest;
}

type Ended = Pick<RunReport, "outcome" | "stoppedBy" | "failure">;

const COMPLETED: Ended = { outcome: "completed" };

/** One typed run: rounds of a model, driven by the gate. */
export class ModelTurn {
  readonly #parts: ModelTurnParts;
  readonly #rows: AiMessage[] = [];
  #usage = emptyUsage;
  #text = "";

  constructor(parts: ModelTurnParts) {
    this.#parts = parts;
    const { system, messages = [] } = parts.options;
    if (system !== undefined) this.#rows.push({ role: "system", content: system });
    this.#rows.push(...messages.map(withParts));
  }

  async run(): Promise<RunReport> {
    this.#say(this.#parts.request.prompt);
    let ended: Ended | undefined;
    while (ended === undefined) ended = await this.#round();
    return { runId: newId(), usage: this.#usage, text: this.#text, ...ended };
  }

  async #round(): Promise<Ended | undefined> {
    const { gate, signal } = this.#parts.request;
    if (signal.aborted) return stopped(signal);
    const offer = gate.offer();
    if (offer.kind === "end") return COMPLETED;
    if (offer.message !== undefined) this.#say(offer.message);
    let reply: AiReply;
    try {
      reply = await this.#ask(offer);
    } catch (error) {
      return this.#refused(error);
    }
    const usage = usageOf(reply);
    this.#usage = addUsage(this.#usage, usage);
    if (reply.failure !== undefined) return this.#refused(reply.failure);
    this.#commit(assistantRow(reply));
    this.#text = textOf(reply);
    const foreign = foreignCall(reply);
    if (foreign) {
      const failure = new Error(
        `the provider ran '${foreign.toolName ?? "a tool"}' itself, which no guard saw`,
      );
      return { outcome: "failed", failure };
    }
    const facts = { finish: finishOf(reply), usage, text: this.#text };
    const calls = callsOf(reply);
    if (calls.length > 0) return this.#runCalls(calls, facts);
    return (await gate.ended(facts)).kind === "end" ? COMPLETED : undefined;
  }

  async #ask(offer: RoundOffer): Promise<AiReply> {
    const { model, toolset, options, request } = this.#parts;
    const own = offer.tools === "all" ? await toolset.described() : [];
    const asked = { ...options.settings, prompt: [...this.#rows], ...offered(offer, own) };
    return (await model.doGenerate({ ...asked, abortSignal: request.signal } as never)) as AiReply;
  }

  #refused(error: unknown): Ended | undefined {
    const { gate, signal } = this.#parts.request;
    if (signal.aborted) return stopped(signal);
    switch (gate.refused(refusalOf(error)).kind) {
      case "retry":
        return undefined;
      case "end":
        return COMPLETED;
      case "fail":
        return { outcome: "failed", failure: error };
    }
  }

  async #runCalls(calls: readonly ToolCall[], facts: object): Promise<Ended | undefined> {
    const { toolset, options, request } = this.#parts;
    const { gate, signal } = request;
    const admission = gate.admit(calls, facts);
    this.#answer(admission.refused);
    for (const call of admission.terminal) {
      const settlement = await gate.settle(call, await options.guardAnswer?.(call));
      if (settlement.kind !== "hold") this.#answer([{ call, result: settlement.result }]);
    }
    const { run, refused } = admission.siblings();
    this.#answer(refused);
    const outcomes: SiblingOutcome[] = [];
    for (const call of run) {
      if (signal.aborted) {
        this.#answer([{ call, result: errorResult(words.ended) }]);
        continue;
      }
      const end = await toolset.run(call, { messages: [...this.#rows], abortSignal: signal });
      outcomes.push({ call, result: { output: end.output as JsonValue, isError: end.isError } });
      this.#commit(toolRow(call, end.shown));
    }
    const verdict = gate.close(outcomes);
    this.#answer(verdict.results);
    return verdict.kind === "end" ? COMPLETED : undefined;
  }

  #answer(results: readonly { readonly call: ToolCall; readonly result: ToolResult }[]): void {
    for (const { call, result } of results) {
      const kind = typeof result.output === "string" ? "text" : "json";
      const type = result.isError ? `error-${kind}` : kind;
      this.#commit(toolRow(call, { type, value: result.output }));
    }
  }

  #say(text: string): void {
    this.#commit(withParts({ role: "user", content: text }));
  }

  #commit(row: AiMessage): void {
    this.#rows.push(row);
    this.#parts.options.onMessage?.(row);
  }
}

function stopped({ reason }: AbortSignal): Ended {
  return reason instanceof DeadlineError
    ? { outcome: "stopped", stoppedBy: "deadline" }
    : { outcome: "cancelled" };
}
