import { canonicalJson, formatModelRef, type JsonValue, type ModelRef } from "@basis/core";
import type { Secrets } from "../../secrets/secrets.ts";
import { version } from "../../version.ts";
import type { Model, ModelEvent, ModelRequest, RoundOptions } from "../model.ts";
import { isModelError } from "../model-error.ts";
import type { ModelSource } from "../model-source.ts";
import {
  recordedCodes,
  type RecordedError,
  type RecordedEvent,
  type RecordedModel,
  type RoundLine,
} from "./cassette-lines.ts";
import { RequestReader, type CanonicalRequest } from "./recorded-request.ts";

/** What is remembered of a session while its rounds are recorded. */
interface Stream {
  readonly number: number;
  digests: readonly string[];
}

/**
 * Records what models are asked and answer. Secrets are taken out before anything is kept. A round that was cut off is
 * no answer and is left out; one that failed by itself is kept as failed.
 */
export class CassetteRecorder {
  readonly #reader: RequestReader;
  readonly #lines: string[] = [];
  readonly #written = new Set<string>();
  readonly #streams = new Map<string, Stream>();
  readonly #models = new Map<string, RecordedModel>();
  readonly #watched = new Map<Model, Model>();
  #main: ModelRef | undefined;
  #rounds = 0;

  constructor(secrets: Secrets) {
    this.#reader = new RequestReader(secrets);
  }

  /** The same models, recorded. */
  record(source: ModelSource): ModelSource {
    this.#main = source.main.ref;
    return {
      main: this.#watch(source.main),
      open: (ref) => this.#watch(source.open(ref)),
      isRegistered: (provider) => source.isRegistered(provider),
    };
  }

  /** How many rounds were recorded. */
  get rounds(): number {
    return this.#rounds;
  }

  /** The cassette, line by line. */
  async *lines(): AsyncGenerator<string> {
    const { provider, id } = this.#main ?? { provider: "none", id: "none" };
    const first = { cassette: 1, version, main: { provider, id }, models: [...this.#models.values()] };
    yield `${canonicalJson(first)}\n`;
    for (const line of this.#lines) yield line;
  }

  #watch(model: Model): Model {
    const known = this.#watched.get(model);
    if (known !== undefined) return known;
    const { ref, capabilities } = model;
    const { provider, id, contextWindow } = ref;
    const window = contextWindow === undefined ? {} : { contextWindow };
    this.#models.set(formatModelRef(ref), { provider, id, ...window, capabilities });
    const watched: Model = Object.freeze({
      ref,
      capabilities,
      round: (request: ModelRequest, options?: RoundOptions) => this.#round(model, request, options),
    });
    this.#watched.set(model, watched);
    return watched;
  }

  async *#round(model: Model, request: ModelRequest, options?: RoundOptions): AsyncGenerator<ModelEvent> {
    // Numbered when it is asked, so that sessions that ask side by side stand in the order in which they began.
    const stream = this.#streamOf(request.sessionId);
    const asked = this.#reader.read(request, model.ref);
    const events: RecordedEvent[] = [];
    try {
      for await (const event of model.round(request, options)) {
        if (event.type !== "retry") events.push(event);
        // Whoever hears the last event need not come back.
        if (event.type === "finish") this.#keep(stream, asked, { events });
        yield event;
      }
    } catch (error) {
      if (options?.signal?.aborted !== true && isModelError(error) && recordedCodes.includes(error.code)) {
        const { code, message, details, usage } = error;
        this.#keep(stream, asked, { events, error: { code, message, details, ...(usage && { usage }) } });
      }
      throw error;
    }
  }

  #streamOf(sessionId: string): Stream {
    const known = this.#streams.get(sessionId);
    if (known !== undefined) return known;
    const stream = { number: this.#streams.size, digests: [] };
    this.#streams.set(sessionId, stream);
    return stream;
  }

  #keep(
    stream: Stream,
    { key, headDigest, head, digests, messages, asks }: CanonicalRequest,
    { events, error }: { readonly events: readonly RecordedEvent[]; readonly error?: RecordedError },
  ): void {
    this.#writeOnce(headDigest, { head: headDigest, ...head });
    for (const [index, digest] of digests.entries())
      this.#writeOnce(digest, { message: digest, body: messages[index] } as unknown as JsonValue);
    const kept = sharedLength(stream.digests, digests);
    const line: RoundLine = {
      round: this.#rounds,
      stream: stream.number,
      key,
      head: headDigest,
      kept,
      messages: digests.slice(kept),
      asks,
      events: joinDeltas(events),
      ...(error && { error }),
    };
    stream.digests = digests;
    this.#rounds += 1;
    this.#lines.push(`${canonicalJson(this.#reader.clean(line as unknown as JsonValue))}\n`);
  }

  #writeOnce(digest: string, line: JsonValue): void {
    if (this.#written.has(digest)) return;
    this.#written.add(digest);
    this.#lines.push(`${canonicalJson(line)}\n`);
  }
}

/** How many of the first items two lists share. */
export function sharedLength(some: readonly string[], others: readonly string[]): number {
  let length = 0;
  while (length < some.length && length < others.length && some[length] === others[length]) length += 1;
  return length;
}

/** Neighbouring deltas as one: a secret that came in two pieces is whole again. */
function joinDeltas(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const joined: RecordedEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if ((event.type === "text" || event.type === "reasoning") && last?.type === event.type)
      joined[joined.length - 1] = { type: event.type, delta: `${last.delta}${event.delta}` };
    else joined.push(event);
  }
  return joined;
}
