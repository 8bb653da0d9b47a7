import type { JsonValue } from "@basis/core";
import type { CallRecord, HookCall, PreOutcome, TrailEntry } from "@basis/hooks";
import { whenThere, type Later } from "../../events/event-log.ts";
import type { EventData } from "../../events/event-schema.ts";
import type { Tool, ToolOutcome } from "../../tools/tool.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext, Told } from "../run/run-context.ts";
import type { TrailRouter } from "./trail-router.ts";

/** What the guards left of a call. `rewrittenBy` names those who changed it, without their reasons. */
export type GuardedInput =
  | { readonly decision: "pass"; readonly input: JsonValue; readonly rewrittenBy?: string }
  | { readonly decision: "deny"; readonly reason: string; readonly by: string };

/** The guards around one call, and what they do told in events. */
export class CallGuards {
  readonly #run: RunContext;
  readonly #call: QueuedCall;
  readonly #tool: Tool;
  readonly #silence: () => void;
  #record: CallRecord | undefined;

  constructor(
    run: RunContext,
    call: QueuedCall,
    guarded: { readonly tool: Tool; readonly trail: TrailRouter },
  ) {
    this.#run = run;
    this.#call = call;
    this.#tool = guarded.tool;
    const key = { agentId: run.agent.agentId, toolCallId: call.toolCallId };
    this.#silence = guarded.trail.listen(key, (record) => {
      this.#record = record;
      reportGuards(run, call, record);
    });
  }

  /** Asks before the call. `input` is given when something other than the model's own arguments is judged. */
  input(input?: JsonValue): Later<GuardedInput> {
    const inputJson = input === undefined ? this.#call.inputJson : JSON.stringify(input);
    const asked = this.#run.hooks.beforeCall(this.#hookCall(inputJson), { signal: this.#run.ending });
    return whenThere(asked, (outcome) => this.#follow(outcome, input));
  }

  #follow(outcome: PreOutcome, input: JsonValue | undefined): GuardedInput {
    switch (outcome.decision) {
      case "allow":
        return { decision: "pass", input: input ?? this.#call.input };
      case "modify":
        return { decision: "pass", input: outcome.input, rewrittenBy: this.#whoDid("modify") };
      case "deny":
        return { decision: "deny", reason: outcome.reason, by: this.#whoDid("deny") };
    }
  }

  /** Asks about a result: what comes back is what the model and the transcript see. */
  result(input: JsonValue, outcome: ToolOutcome): Later<ToolOutcome> {
    const inputJson = input === this.#call.input ? this.#call.inputJson : JSON.stringify(input);
    const { output, isError } = outcome;
    const call = this.#hookCall(inputJson);
    const asked = this.#run.hooks.afterCall(call, { output, isError }, { signal: this.#run.ending });
    return whenThere(asked, (answer) => {
      switch (answer.decision) {
        case "allow":
          return outcome;
        case "replace":
          return { output: answer.output, isError: answer.isError };
        case "deny":
          return { output: answer.reason, isError: true };
      }
    });
  }

  /** Stops listening to the chain. */
  close(): void {
    this.#silence();
  }

  #whoDid(decision: "modify" | "deny"): string {
    const names = this.#record?.asked.filter((entry) => entry.decision === decision && !entry.shadow) ?? [];
    return names.map(({ who }) => who).join(" and ") || "a guard";
  }

  #hookCall(inputJson: string): HookCall {
    const { agentId, parentAgentId, depth } = this.#run.agent;
    const { toolName, toolCallId } = this.#call;
    const tool = this.#tool;
    return {
      agentId,
      toolName,
      toolCallId,
      inputJson,
      parentAgentId,
      depth,
      toolSource: tool.source,
      effect: tool.effect,
      effectOf: tool.effectOf && ((changed) => tool.effectOf?.(changed)),
    };
  }
}

/** Tells in events what the chain did about a call; a chain that asked nobody tells nothing. */
function reportGuards(run: RunContext, call: QueuedCall, record: CallRecord): void {
  if (record.asked.length === 0) return;
  for (const { who, failure, shadow } of record.asked) {
    if (failure && !shadow) run.emit("hook_failed", { ...eventCall(call), who, failure: failure.message });
  }
  const told: Told<"hook_decided"> = {
    call_key: call.callKey,
    tool_call_id: call.toolCallId,
    tool_name: call.toolName,
    event: record.event,
    decision: record.decision,
    participants: record.asked.map(participantInEvent),
  };
  if (record.reason !== undefined) told.reason = record.reason;
  if (record.notAsked.length > 0) told.not_asked = record.notAsked.map(({ who, why }) => ({ who, why }));
  run.emit("hook_decided", told);
}

type Participant = EventData<"hook_decided">["participants"][number];

function participantInEvent(entry: TrailEntry): Participant {
  const { who, decision, ms, failure, shadow, reason, mode, inputAfter } = entry;
  const told: Participant = { who, decision, ms };
  if (failure) told.failure = failure.message;
  if (shadow) told.shadow = shadow;
  if (reason !== undefined) told.reason = reason;
  if (mode === "recheck") told.recheck = true;
  if (inputAfter !== undefined) told.input = inputAfter as never;
  return told;
}
