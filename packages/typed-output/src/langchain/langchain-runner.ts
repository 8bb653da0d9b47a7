import { unusable } from "../model-turn/ai-model.ts";
import { modelRunner, type ModelRunnerOptions } from "../model-turn/model-runner.ts";
import type { ModelCapabilities, TurnRunner } from "../turn-runner.ts";
import type { ChatModel, ChatTool } from "./chat-model.ts";
import { drivenModel } from "./chat-request.ts";
import { turnTools } from "./chat-tools.ts";

/** What a runner is made of. */
export interface LangChainRunnerOptions extends Pick<ModelRunnerOptions, "system" | "guardAnswer"> {
  /** A chat model with `bindTools`. Its own retries stay: set `maxRetries` on it. */
  readonly model: ChatModel;
  /** The host's tools, guarded already if they are to be. */
  readonly tools?: readonly ChatTool[] | undefined;
  /** What is known of the model. Default: tools and a forced choice by name; what a provider refuses is learned at run time. */
  readonly capabilities?: Partial<ModelCapabilities> | undefined;
  /** Call options of every request, such as `stop` or `metadata`. */
  readonly settings?: object | undefined;
}

/**
 * A `TurnRunner` that drives a chat model of LangChain 1. Arguments are read as the model wrote them where the integration
 * keeps that text, else as it parsed them. Answers come through the terminal tool or as text.
 *
 * @throws OutputError `unusable_host` for a model without `bindTools`, or a tool that does not run here.
 */
export function langchainRunner(options: LangChainRunnerOptions): TurnRunner {
  const { model, tools = [], capabilities, settings = {}, ...turn } = options;
  if (typeof model?.bindTools !== "function" || typeof model.invoke !== "function")
    throw unusable("model", "@basis/typed-output/langchain needs a chat model of LangChain 1 with bindTools");
  return modelRunner({
    ...turn,
    model: drivenModel(model, settings),
    tools: turnTools(tools),
    capabilities: { native: "none", ...capabilities },
  });
}
