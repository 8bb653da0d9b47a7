import type { JsonObject, TokenUsage } from "@basis/core";
import type {
  AssistantMessage,
  FinishReason,
  ModelMessage,
  ToolChoice,
  ToolDefinition,
} from "../providers/model.ts";
import { isModelError } from "../providers/model-error.ts";
import type { RunContext } from "./run-context.ts";
import { wireUsage } from "./run-usage.ts";

/** What one model round is asked with, beside the transcript. */
export interface RoundOffer {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  /** Said to the model in this round alone; not kept in the transcript. */
  readonly instruction?: string | undefined;
  readonly responseFormat?: { readonly name: string; readonly schema: JsonObject } | undefined;
}

/** What a model round answered. */
export interface RoundAnswer {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** Asks the model once, streaming what it says into events, and counts what it used, also when it fails. */
export async function askModel(
  run: RunContext,
  messages: readonly ModelMessage[],
  offer: RoundOffer,
): Promise<RoundAnswer> {
  const { agent, scope } = run;
  const closing: readonly ModelMessage[] = offer.instruction
    ? [{ role: "user", content: offer.instruction }]
    : [];
  const request = {
    agent: agent.name,
    sessionId: scope.session,
    member: agent.member,
    system: agent.system,
    messages: [...messages, ...closing],
    tools: offer.tools,
    toolChoice: offer.toolChoice,
    ...(offer.responseFormat && { responseFormat: offer.responseFormat }),
  };
  try {
    for await (const event of agent.model.round(request, { signal: run.signal })) {
      switch (event.type) {
        case "text":
          run.emit("assistant_delta", { text: event.delta });
          break;
        case "reasoning":
          run.emit("assistant_reasoning_delta", { text: event.delta });
          break;
        case "retry":
          run.emit("retry", { attempt: event.attempt, delay_ms: event.delayMs, reason: event.reason });
          break;
        case "tool_call":
          break;
        case "finish":
          count(run, event.usage);
          return event;
      }
    }
  } catch (error) {
    if (isModelError(error)) count(run, error.usage);
    throw error;
  }
  throw new Error(`the model ${agent.model.ref.id} ended its answer without finishing it`);
}

function count(run: RunContext, usage: TokenUsage | undefined): void {
  run.usage.addRound(usage);
  if (usage === undefined) return;
  const round = run.bounds.countRound(usage);
  run.emit("usage", { round, usage: wireUsage(usage) });
}
