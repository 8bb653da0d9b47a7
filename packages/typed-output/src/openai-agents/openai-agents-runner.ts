import type { ToolCall } from "@basis/core";
import type { AiMessage } from "../model-turn/ai-model.ts";
import { modelRunner } from "../model-turn/model-runner.ts";
import type { SettleContext } from "../terminal-gate.ts";
import type { ModelCapabilities, TurnRunner } from "../turn-runner.ts";
import { usableModel, usableTools, type AgentItem, type AgentsModel } from "./agents-model.ts";
import { itemsOf, rowOf } from "./items.ts";
import { bridgeModel, bridgeTools } from "./model-bridge.ts";

/** What a runner is made of. */
export interface OpenAiAgentsRunnerOptions {
  readonly model: AgentsModel;
  /** The model's name: what it refuses is remembered by it. */
  readonly modelId: string;
  /** The host's function tools, guarded already if they are to be. */
  readonly tools?: readonly object[] | undefined;
  /** The `RunContext` that tools are called with. */
  readonly runContext?: object | undefined;
  readonly instructions?: string | undefined;
  /** The conversation before the prompt. */
  readonly items?: readonly AgentItem[] | undefined;
  /**
   * What is known of the model. Default: tools, a forced choice by name, a native format without tools; what a provider
   * refuses is learned at run time.
   */
  readonly capabilities?: Partial<ModelCapabilities> | undefined;
  /** `modelSettings` of every request: `maxTokens`, `reasoning`, `providerData` … The tool choice is the runner's. */
  readonly settings?: object | undefined;
  /** Told of each item of the run, in order, the prompt first. */
  readonly onItem?: ((item: AgentItem) => void) | undefined;
  /** Asked about each call of the terminal tool before it is checked: what a chain of guards made of it. */
  readonly guardAnswer?: ((call: ToolCall) => SettleContext | Promise<SettleContext>) | undefined;
}

/**
 * A `TurnRunner` that drives a model of `@openai/agents` by its `Model` interface: the model's arguments are read as it
 * wrote them. What a model answered goes back to it item by item, unchanged. Requests are not repeated.
 *
 * @throws OutputError `unusable_host` for what is no model, or a tool that runs elsewhere.
 */
export function openAiAgentsRunner(options: OpenAiAgentsRunnerOptions): TurnRunner {
  const { items = [], onItem, capabilities, guardAnswer, instructions: system } = options;
  const onMessage = onItem && ((row: AiMessage): void => itemsOf(row).forEach((item) => onItem(item)));
  return modelRunner({
    model: bridgeModel(usableModel(options.model), options.modelId, options.settings),
    tools: bridgeTools(usableTools(options.tools ?? []), options.runContext),
    system,
    messages: items.map(rowOf),
    capabilities,
    onMessage,
    guardAnswer,
  });
}
