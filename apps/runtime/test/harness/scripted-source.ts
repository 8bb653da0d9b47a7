import type { ModelInfo } from "@basis/core";
import type { Model, ModelEvent, ModelRequest, RoundOptions } from "../../src/providers/model.ts";
import type { ModelSource } from "../../src/providers/model-source.ts";
import { parseScript, type ScriptedAgent, type ScriptedRound } from "../../src/providers/scripted-file.ts";
import { scriptedModel, type ScriptedModelOptions } from "../../src/providers/scripted-model.ts";

/** One step of an agent: a round, or alternatives. */
export type ScriptedStep = ScriptedRound | readonly ScriptedRound[];

/** Rounds by agent name. */
export type ScriptedAgents = Readonly<Record<string, readonly ScriptedStep[]>>;

/** Called with each request, counted from 1, before it is answered. */
export type OnRequest = (request: ModelRequest, number: number) => void | Promise<void>;

/** Models played from a script in the test, and every request that was sent to one of them. */
export class ScriptedSource implements ModelSource {
  readonly requests: ModelRequest[] = [];
  readonly main: Model;
  readonly providers: readonly string[] = ["scripted", "cheap"];
  readonly #open: (ref: ModelInfo) => Model;
  readonly #onRequest: OnRequest | undefined;

  constructor(agents: ScriptedAgents, options: ScriptedModelOptions & { onRequest?: OnRequest } = {}) {
    this.#onRequest = options.onRequest;
    const content: Record<string, ScriptedAgent> = {};
    for (const [name, rounds] of Object.entries(agents)) content[name] = { rounds };
    const script = parseScript(JSON.stringify({ schema: 1, agents: content }), "script.json");
    const played = (ref: ModelInfo): Model => this.watch(scriptedModel(script, { ...options, ref }));
    this.#open = played;
    this.main = played({ provider: "scripted", id: "main" });
  }

  open(ref: ModelInfo): Model {
    return this.#open(ref);
  }

  isRegistered(provider: string): boolean {
    return this.providers.includes(provider);
  }

  /** The requests of one agent. */
  of(agent: string): readonly ModelRequest[] {
    return this.requests.filter((request) => request.agent === agent);
  }

  /** The model, with its requests kept. */
  watch(model: Model): Model {
    return { ...model, round: (request, options) => this.#ask(model, request, options) };
  }

  async *#ask(model: Model, request: ModelRequest, options?: RoundOptions): AsyncGenerator<ModelEvent> {
    this.requests.push({ ...request, messages: [...request.messages] });
    await this.#onRequest?.(request, this.requests.length);
    yield* model.round(request, options);
  }
}
