import type { ToolCall } from "@basis/core";
import type { SettleContext } from "../terminal-gate.ts";
import type { ModelCapabilities, TurnRunner } from "../turn-runner.ts";
import type { AiMessage, AiModel } from "./ai-model.ts";
import { ModelTurn } from "./model-turn.ts";
import { Toolset } from "./toolset.ts";

/** What a runner is made of. */
export interface ModelRunnerOptions {
  readonly model: AiModel;
  /** The host's tools, guarded already if they are to be; all of them with an `execute`. */
  readonly tools?: object | undefined;
  readonly system?: string | undefined;
  /** The conversation before the prompt, as the model gets it; a content that is a text is accepted. */
  readonly messages?: readonly AiMessage[] | undefined;
  /**
   * What is known of the model. Default: tools, a forced choice by name, a native format without tools; what a provider
   * refuses is learned at run time.
   */
  readonly capabilities?: Partial<ModelCapabilities> | undefined;
  /** Added to every request: `maxOutputTokens`, `providerOptions`, `headers` … */
  readonly settings?: object | undefined;
  /** Told of each row of the run, in order, the prompt first. */
  readonly onMessage?: ((message: AiMessage) => void) | undefined;
  /** Asked about each call of the terminal tool before it is checked: what a chain of guards made of it. */
  readonly guardAnswer?: ((call: ToolCall) => SettleContext | Promise<SettleContext>) | undefined;
}

/**
 * A `TurnRunner` that drives a model by the AI SDK's provider interface, whoever implements it.
 *
 * @throws OutputError `unusable_host` for a tool that runs elsewhere.
 */
export function modelRunner(options: ModelRunnerOptions): TurnRunner {
  const { model } = options;
  const toolset = new Toolset(options.tools ?? {});
  const { provider, modelId: id } = model;
  return Object.freeze({
    capabilities: Object.freeze({
      model: { provider, id },
      tools: true,
      forced: "named",
      native: "alone",
      ...options.capabilities,
    } satisfies ModelCapabilities),
    run: (request) => new ModelTurn({ model, toolset, options, request }).run(),
  } satisfies TurnRunner);
}
