import { emptyUsage, type TokenUsage } from "@basis/core";
import type {
  AssistantMessage,
  FinishReason,
  InputPiece,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  RequestedCall,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
} from "../providers/model.ts";
import { isModelError } from "../providers/model-error.ts";
import { secrets } from "../secrets/secrets.ts";
import { StreamRedactor } from "../secrets/stream-redactor.ts";
import type { RunContext } from "./run-context.ts";
import { wireUsage } from "./run-usage.ts";

/** Follows an answer while it comes. */
export interface AnswerReader {
  text(piece: string): void;
  /** A piece of a call's arguments; `stop` ends the answer there. */
  input(piece: InputPiece): "continue" | "stop";
  /** A whole call, its arguments as they were written. */
  call(call: RequestedCall): void;
  /** The answer was lost and is asked for once more. */
  restart(): void;
}

/** What one model round is asked with, beside the transcript. */
export interface RoundOffer {
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly reader?: AnswerReader | undefined;
}

/** What a model round answered. */
export interface RoundAnswer {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
  /** True when its reader stopped it: of its usage only a part was told. */
  readonly stopped?: boolean;
}

/**
 * Asks the model once, streaming what it says into events, and counts what it used, also when it fails: then it is
 * written to the session at once, since no row will carry it.
 */
export async function askModel(
  run: RunContext,
  messages: readonly ModelMessage[],
  offer: RoundOffer,
): Promise<RoundAnswer> {
  const round = run.bounds.beginRound();
  try {
    const request = requestOf(run, messages, offer);
    const ask = (): Promise<RoundAnswer> => listen(run, request, offer.reader);
    const answer = await (run.trace === undefined ? ask() : run.trace.chat(request, ask));
    round.end(answer.usage);
    count(run, answer.usage, round.number);
    if (answer.stopped === true) run.usage.addRound(undefined);
    return answer;
  } catch (error) {
    const usage = usageOfFailure(run, error);
    round.end(usage);
    count(run, usage, round.number);
    await keepUsage(run, usage);
    throw error;
  }
}

/** The round's own error stands over one of the store, which the run's end meets again. */
async function keepUsage({ writer }: RunContext, usage: TokenUsage | undefined): Promise<void> {
  if (usage === undefined || usage === emptyUsage) return;
  await writer.update({ usage }).catch(() => undefined);
}

function requestOf(
  { agent, scope }: RunContext,
  messages: readonly ModelMessage[],
  { tools, toolChoice, responseFormat }: RoundOffer,
): ModelRequest {
  return {
    agent: agent.name,
    sessionId: scope.session,
    member: agent.member,
    system: agent.system,
    messages,
    tools,
    toolChoice,
    ...(responseFormat && { responseFormat }),
  };
}

async function listen(
  run: RunContext,
  request: ModelRequest,
  reader: AnswerReader | undefined,
): Promise<RoundAnswer> {
  const { model } = run.agent;
  const shown = { text: new StreamRedactor(secrets), reasoning: new StreamRedactor(secrets) };
  const onInput = reader && { onInput: (piece: InputPiece) => reader.input(piece) };
  for await (const event of model.round(request, { signal: run.signal, ...onInput })) {
    if (event.type === "text" || event.type === "reasoning")
      tellText(run, event.type, shown[event.type].take(event.delta));
    else for (const kind of ["reasoning", "text"] as const) tellText(run, kind, shown[kind].end());
    if (event.type === "finish") return event;
    tell(run, event);
    follow(event, reader);
  }
  throw new Error(`the model ${model.ref.id} ended its answer without finishing it`);
}

function follow(event: ModelEvent, reader: AnswerReader | undefined): void {
  if (event.type === "text") reader?.text(event.delta);
  else if (event.type === "tool_call") reader?.call(event.call);
  else if (event.type === "retry") reader?.restart();
}

function tellText(run: RunContext, kind: "text" | "reasoning", text: string): void {
  if (text === "") return;
  run.emit(kind === "text" ? "assistant_delta" : "assistant_reasoning_delta", { text });
}

function tell(run: RunContext, event: Exclude<ModelEvent, { type: "finish" }>): void {
  switch (event.type) {
    case "retry":
      return run.emit("retry", {
        attempt: event.attempt,
        delay_ms: event.delayMs,
        reason: event.reason,
      });
    case "text":
    case "reasoning":
    case "tool_call":
      return undefined;
  }
}

/** A request that was refused used nothing; of a round that broke or was cut off nobody knows, unless its error tells. */
function usageOfFailure({ signal }: RunContext, error: unknown): TokenUsage | undefined {
  if (signal.aborted || !isModelError(error)) return undefined;
  return error.usage ?? (refusedBeforeUse.has(error.code) ? emptyUsage : undefined);
}

const refusedBeforeUse: ReadonlySet<string> = new Set([
  "bad_request",
  "auth",
  "not_found",
  "quota_exceeded",
  "rate_limited",
  "missing_key",
  "scripted_miss",
  "cassette_miss",
]);

function count(run: RunContext, usage: TokenUsage | undefined, round: number): void {
  run.usage.addRound(usage);
  if (usage !== undefined && usage !== emptyUsage) run.emit("usage", { round, usage: wireUsage(usage) });
}
