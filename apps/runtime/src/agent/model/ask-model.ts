import { emptyUsage, WithSignal, type TokenUsage } from "@basis/core";
import type {
  AssistantMessage,
  FinishReason,
  InputPiece,
  Model,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  RequestedCall,
  ResponseFormat,
  RoundOptions,
  ToolChoice,
  ToolDefinition,
} from "../../providers/model.ts";
import { isModelError } from "../../providers/model-error.ts";
import { secrets } from "../../secrets/secrets.ts";
import { StreamRedactor } from "../../secrets/stream-redactor.ts";
import { keepUsage } from "./keep-usage.ts";
import type { Cue } from "../run/cue.ts";
import type { RunContext } from "../run/run-context.ts";
import { wireUsage } from "../run/run-usage.ts";

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
export function askModel(
  run: RunContext,
  messages: readonly ModelMessage[],
  offer: RoundOffer,
): Promise<RoundAnswer> {
  const request = requestOf(run, messages, offer);
  return askCounted(run, request, () => listen(run, request, offer.reader));
}

/**
 * Asks the run's model something that is no part of the transcript, and shows nothing of its answer. What it used is counted in
 * the run; only that of a failure is written to the session here.
 */
export function askAside(run: RunContext, request: ModelRequest): Promise<RoundAnswer> {
  return askCounted(run, request, () =>
    hearOut(run.agent.model, request, { emit: run.emit, signal: run.ending.signal }),
  );
}

/** Whom a model is heard out for. */
interface HearingOut extends Pick<RunContext, "emit"> {
  readonly signal: AbortSignal;
}

/** Hears a model out without showing what it says. */
export async function hearOut(
  model: Model,
  request: ModelRequest,
  { emit, signal }: HearingOut,
): Promise<RoundAnswer> {
  for await (const event of model.round(request, { signal })) {
    if (event.type === "finish") return event;
    tell({ emit }, event);
  }
  throw new Error(`the model ${model.ref.id} ended its answer without finishing it`);
}

function askCounted(
  run: RunContext,
  request: ModelRequest,
  ask: () => Promise<RoundAnswer>,
): Promise<RoundAnswer> {
  const round = run.bounds.beginRound();
  const asked = run.trace === undefined ? ask() : run.trace.chat(request, ask);
  return asked.then(
    (answer) => {
      round.end(answer.usage);
      count(run, answer.usage, round.number);
      if (answer.stopped === true) run.usage.addRound(undefined);
      return answer;
    },
    async (error: unknown) => {
      const usage = usageOfFailure(run, error);
      round.end(usage);
      count(run, usage, round.number);
      await keepUsage(run.writer, usage);
      throw error;
    },
  );
}

function requestOf(
  { agent, scope, blobs }: RunContext,
  messages: readonly ModelMessage[],
  { tools, toolChoice, responseFormat }: RoundOffer,
): ModelRequest {
  const request = {
    agent: agent.name,
    sessionId: scope.session,
    member: agent.member,
    system: agent.system,
    messages,
    tools,
    toolChoice,
    blobs,
  };
  return responseFormat === undefined ? request : { ...request, responseFormat };
}

/** How a round is run whose reader hears each piece of a call's arguments. */
class FollowedRound extends WithSignal implements RoundOptions {
  readonly onInput: (piece: InputPiece) => "continue" | "stop";

  constructor(ending: Cue, onInput: FollowedRound["onInput"]) {
    super(ending);
    this.onInput = onInput;
  }
}

async function listen(
  run: RunContext,
  request: ModelRequest,
  reader: AnswerReader | undefined,
): Promise<RoundAnswer> {
  const { model } = run.agent;
  const shown = new ShownAnswer(run);
  const how =
    reader === undefined
      ? new WithSignal(run.ending)
      : new FollowedRound(run.ending, (piece) => reader.input(piece));
  for await (const event of model.round(request, how)) {
    if (event.type === "text" || event.type === "reasoning") shown.take(event.type, event.delta);
    else shown.end();
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

/** What an answer shows while it comes, without secrets. */
class ShownAnswer {
  readonly #run: RunContext;
  #reasoning: StreamRedactor | undefined;
  #text: StreamRedactor | undefined;

  constructor(run: RunContext) {
    this.#run = run;
  }

  take(kind: "text" | "reasoning", piece: string): void {
    if (kind === "text") this.#tell(kind, (this.#text ??= new StreamRedactor(secrets)).take(piece));
    else this.#tell(kind, (this.#reasoning ??= new StreamRedactor(secrets)).take(piece));
  }

  end(): void {
    if (this.#reasoning !== undefined) this.#tell("reasoning", this.#reasoning.end());
    if (this.#text !== undefined) this.#tell("text", this.#text.end());
  }

  #tell(kind: "text" | "reasoning", text: string): void {
    if (text !== "")
      this.#run.emit(kind === "text" ? "assistant_delta" : "assistant_reasoning_delta", { text });
  }
}

function tell({ emit }: Pick<RunContext, "emit">, event: Exclude<ModelEvent, { type: "finish" }>): void {
  switch (event.type) {
    case "retry":
      return emit("retry", {
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
function usageOfFailure({ ending }: RunContext, error: unknown): TokenUsage | undefined {
  if (ending.aborted || !isModelError(error)) return undefined;
  return error.usage ?? (refusedBeforeUse.has(error.code) ? emptyUsage : undefined);
}

const refusedBeforeUse: ReadonlySet<string> = new Set([
  "bad_request",
  "context_length",
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
