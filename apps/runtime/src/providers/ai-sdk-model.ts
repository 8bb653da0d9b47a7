import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import {
  addUsage,
  joinSignals,
  systemClock,
  untilAborted,
  type Clock,
  type ModelInfo,
  type TokenUsage,
} from "@basis/core";
import { CallInputs } from "./call-inputs.ts";
import { classifyError } from "./classify-error.ts";
import { onConnection } from "./connection-watch.ts";
import { ModelError } from "./model-error.ts";
import type {
  AssistantMessage,
  Model,
  ModelCapabilities,
  ModelEvent,
  ModelRequest,
  RoundOptions,
} from "./model.ts";
import {
  createPromptBuilder,
  toCallOptions,
  withProviderOptions,
  type PromptBuilder,
} from "./provider-prompt.ts";
import { defaultRetries, withRetries } from "./retries.ts";
import { RoundRecord } from "./round-record.ts";
import type { RunSettings } from "./run-settings.ts";
import { toTokenUsage, usageInRawEvent } from "./token-usage.ts";
import { AttemptWatch, defaultWatchdogs } from "./watchdogs.ts";

/**
 * A language model of the AI SDK's provider packages, as far as it is used here: interface version 3, or a
 * later one of the same shape (cast it).
 */
export interface LanguageModelLike {
  readonly specificationVersion: string;
  doStream(
    options: LanguageModelV3CallOptions,
  ): PromiseLike<{ readonly stream: ReadableStream<LanguageModelV3StreamPart> }>;
}

/** What makes a provider package's model one of ours. */
export interface AiSdkModelOptions extends RunSettings {
  readonly ref: ModelInfo;
  readonly capabilities: ModelCapabilities;
  /** False for a package that sends a result's images as a text of their bytes. Default true. */
  readonly takesResultImages?: boolean;
  /** Loads the package and makes the model; called with the first round, once. */
  readonly load: () => Promise<LanguageModelLike>;
  /** True when the model sends through `watchedFetch`; only then the connect watchdog runs. */
  readonly observesConnection?: boolean;
  /** Options every request carries, by provider. */
  readonly providerOptions?: LanguageModelV3CallOptions["providerOptions"];
  /** Texts to keep out of every error message: the key. */
  readonly secrets?: readonly string[];
}

/** A `Model` that asks through a provider package, with watchdogs and retries. */
export function aiSdkModel(options: AiSdkModelOptions): Model {
  const round = new ProviderRound(options);
  return Object.freeze({
    ref: Object.freeze({ ...options.ref }),
    capabilities: Object.freeze({ ...options.capabilities }),
    round: (request: ModelRequest, run: RoundOptions = {}) => round.ask(request, run),
  });
}

interface Loaded {
  readonly model: LanguageModelLike;
  readonly prompts: PromptBuilder;
}

/** One attempt under way. */
interface Flight {
  readonly signal: AbortSignal;
  readonly onInput: RoundOptions["onInput"];
  readonly watch: AttemptWatch;
  readonly spent: TokenUsage;
  /** What the raw events told so far. */
  told: Partial<TokenUsage> | undefined;
}

class ProviderRound {
  readonly #options: AiSdkModelOptions;
  readonly #clock: Clock;
  #loaded: Promise<Loaded> | undefined;

  constructor(options: AiSdkModelOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async *ask(request: ModelRequest, run: RoundOptions): AsyncGenerator<ModelEvent> {
    const { signal } = run;
    signal?.throwIfAborted();
    const { model, prompts } = await (this.#loaded ??= this.#load());
    const { providerOptions } = this.#options;
    const bytes = prompts.load(request);
    const prompt = prompts.build(request, bytes && (await bytes));
    const call = withProviderOptions(toCallOptions(request, prompt), providerOptions);
    yield* withRetries((spent) => this.#attempt(model, call, { spent, run }), {
      policy: { ...defaultRetries, ...this.#options.retries },
      clock: this.#clock,
      random: this.#options.random ?? Math.random,
      signal,
    });
  }

  async #load(): Promise<Loaded> {
    try {
      const model = await this.#options.load();
      const { takesResultImages } = this.#options;
      return { model, prompts: createPromptBuilder(model.specificationVersion, { takesResultImages }) };
    } catch (error) {
      this.#loaded = undefined;
      throw error;
    }
  }

  async *#attempt(
    model: LanguageModelLike,
    call: LanguageModelV3CallOptions,
    { spent, run: { signal, onInput } }: { spent: TokenUsage; run: RoundOptions },
  ): AsyncGenerator<ModelEvent> {
    const own = new AbortController();
    const joined = joinSignals(signal, own.signal);
    const limits = { ...defaultWatchdogs, ...this.#options.watchdogs };
    const watch = new AttemptWatch(
      { clock: this.#clock, limits, onTimeout: (error) => own.abort(error) },
      this.#options.observesConnection ?? false,
    );
    const flight: Flight = { signal: joined.signal, onInput, watch, spent, told: undefined };
    onConnection(joined.signal, () => watch.connected());
    try {
      const answer = await untilAborted(joined.signal, async (abortSignal) =>
        model.doStream({ ...call, abortSignal }),
      );
      yield* this.#events(answer.stream.getReader(), flight);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw this.#failure(own.signal.aborted ? own.signal.reason : error, flight);
    } finally {
      watch.stop();
      own.abort();
      joined.release();
    }
  }

  async *#events(
    reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>,
    flight: Flight,
  ): AsyncGenerator<ModelEvent> {
    const record = new RoundRecord();
    const inputs = new CallInputs();
    for (;;) {
      const { done, value: part } = await untilAborted(flight.signal, () => reader.read());
      if (done) break;
      if (isAnswerEvent(part)) flight.watch.event();
      if (part.type === "raw") flight.told = merge(flight.told, usageInRawEvent(part.rawValue));
      else if (part.type === "error") throw part.error;
      else if (part.type === "finish") {
        if (wasCut(part)) break;
        flight.watch.stop();
        const usage = addUsage(flight.spent, toTokenUsage(part.usage));
        yield {
          type: "finish",
          finishReason: record.finishReason(part.finishReason.unified),
          usage,
          message: record.message(),
        };
        return;
      } else {
        const event = record.take(part);
        const piece = inputs.take(part);
        if (piece !== undefined && flight.onInput?.(piece) === "stop") {
          yield stoppedAt(record.message(inputs.unfinished(piece.toolCallId)), flight);
          return;
        }
        if (event === undefined) continue;
        flight.watch.pause();
        yield event;
        flight.watch.resume();
      }
    }
    throw cutError(this.#options.ref.provider);
  }

  #failure(error: unknown, { spent, told }: Flight): ModelError {
    const known = told !== undefined || Object.values(spent).some((count) => count > 0);
    const usage = known ? addUsage(spent, told ?? {}) : undefined;
    const failure = classifyError(error, {
      provider: this.#options.ref.provider,
      nowMs: this.#clock.now(),
      secrets: this.#options.secrets ?? [],
      usage,
    });
    return usage === undefined ? failure : failure.withUsage(usage);
  }
}

/** The end of an answer that its reader stopped. */
function stoppedAt(message: AssistantMessage, { spent, told }: Flight): ModelEvent {
  return {
    type: "finish",
    finishReason: "other",
    usage: addUsage(spent, told ?? {}),
    stopped: true,
    message,
  };
}

/** A keep-alive of Anthropic's is a raw event; what the package makes up itself is none. */
function isAnswerEvent(part: LanguageModelV3StreamPart): boolean {
  if (part.type !== "raw") return part.type !== "stream-start";
  return (part.rawValue as { type?: unknown } | null)?.type !== "ping";
}

/** The package saw the stream end without a word on how: the connection was cut cleanly. */
function wasCut(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): boolean {
  return part.finishReason.unified === "other" && part.finishReason.raw === undefined;
}

function cutError(provider: string): ModelError {
  return new ModelError("stream_error", `${provider}: the answer stopped before its end`, { details: {} });
}

function merge(
  told: Partial<TokenUsage> | undefined,
  more: Partial<TokenUsage> | undefined,
): Partial<TokenUsage> | undefined {
  return more === undefined ? told : { ...told, ...more };
}
