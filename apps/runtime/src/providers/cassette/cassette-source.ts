import { formatModelRef, type JsonObject, type ModelInfo, type ModelRef } from "@basis/core";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Model, ModelEvent, ModelRequest, RoundOptions } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { ModelSource } from "../model-source.ts";
import { nearestRound } from "./nearest-round.ts";
import type { Cassette, RecordedRound } from "./read-cassette.ts";
import { withDrawnNames } from "./terminal-names.ts";
import { RequestReader, type CanonicalRequest } from "./recorded-request.ts";

/**
 * The models of a recording. A request is answered with what was recorded for the same request, and with nothing else:
 * one that was not recorded is `cassette_miss`, naming the nearest recorded one and what differs. Nobody is asked.
 */
export function cassetteSource(cassette: Cassette, secrets: Secrets): ModelSource {
  const player = new CassettePlayer(cassette, secrets);
  const recorded = new Map(cassette.first.models.map((model) => [formatModelRef(model), model]));
  const opened = new Map<string, Model>();
  const open = (ref: ModelRef): Model => {
    const name = formatModelRef(ref);
    const known = opened.get(name);
    if (known !== undefined) return known;
    const { capabilities, ...facts } = recorded.get(name) ?? { ...ref, capabilities: defaults };
    const model = player.model(facts, capabilities);
    opened.set(name, model);
    return model;
  };
  const providers = new Set(cassette.first.models.map(({ provider }) => provider));
  return Object.freeze({
    main: open(cassette.first.main),
    open,
    isRegistered: (provider: string) => providers.has(provider),
  });
}

const defaults: Model["capabilities"] = { forcedChoice: "named", nativeSchema: false };

/** Finds the recorded round of a request. */
class CassettePlayer {
  readonly #cassette: Cassette;
  readonly #reader: RequestReader;
  readonly #byKey = new Map<string, RecordedRound[]>();
  readonly #played = new Set<RecordedRound>();
  /** The stream that each session plays. Sessions that ask alike take the streams in the order in which they ask. */
  readonly #streams = new Map<string, number>();

  constructor(cassette: Cassette, secrets: Secrets) {
    this.#cassette = cassette;
    this.#reader = new RequestReader(secrets);
    for (const round of cassette.rounds) {
      const alike = this.#byKey.get(round.key);
      if (alike === undefined) this.#byKey.set(round.key, [round]);
      else alike.push(round);
    }
  }

  model(ref: ModelInfo, capabilities: Model["capabilities"]): Model {
    return Object.freeze({
      ref: Object.freeze({ ...ref }),
      capabilities: Object.freeze({ ...capabilities }),
      round: (request: ModelRequest, options: RoundOptions = {}) => this.#play(ref, request, options),
    });
  }

  async *#play(ref: ModelRef, request: ModelRequest, { signal }: RoundOptions): AsyncGenerator<ModelEvent> {
    signal?.throwIfAborted();
    const asked = this.#reader.read(request, ref);
    const round = this.#find(request.sessionId, asked.key);
    if (round === undefined) throw this.#miss(request, asked);
    for (const event of round.events) {
      signal?.throwIfAborted();
      yield withDrawnNames(event as unknown as JsonObject, request) as unknown as ModelEvent;
    }
    if (round.error !== undefined) throw recordedError(this.#cassette.file, round);
  }

  #find(session: string, key: string): RecordedRound | undefined {
    const alike = this.#byKey.get(key) ?? [];
    const waiting = alike.filter((round) => !this.#played.has(round));
    const own = this.#streams.get(session);
    const taken = new Set(this.#streams.values());
    const found =
      waiting.find(({ stream }) => stream === own) ??
      waiting.find(({ stream }) => own === undefined && !taken.has(stream)) ??
      waiting[0] ??
      alike.at(-1);
    if (found === undefined) return undefined;
    this.#played.add(found);
    if (own === undefined) this.#streams.set(session, found.stream);
    return found;
  }

  #miss(request: ModelRequest, asked: CanonicalRequest): ModelError<"cassette_miss"> {
    const { file, rounds } = this.#cassette;
    const { agent, messages } = request;
    const session = request.member ?? request.sessionId;
    const nearest = nearestRound(rounds, asked);
    const hint =
      nearest === undefined
        ? "it holds no round at all"
        : `the nearest is round ${nearest.round} (line ${nearest.line}), which differs in ${nearest.field}: ${nearest.difference}`;
    return new ModelError(
      "cassette_miss",
      `${file}: nothing was recorded for this request of agent "${agent}" (${messages.length} messages); ${hint}`,
      {
        details: { file, agent, session, round: nearest?.round ?? null, field: nearest?.field ?? null },
      },
    );
  }
}

/** A failure as it was recorded. It is not retried: the recording would answer the same. */
function recordedError(file: string, { error, line }: RecordedRound): ModelError {
  const { code, message, details, usage } = error!;
  return new ModelError(code, `${message} (recorded in ${file}:${line})`, {
    details: details,
    retryable: false,
    ...(usage && { usage }),
  });
}
