import type { AiMessage } from "../model-turn/ai-model.ts";
import { modelRunner, type ModelRunnerOptions } from "../model-turn/model-runner.ts";
import type { ModelCapabilities, TurnRunner } from "../turn-runner.ts";
import {
  usableClient,
  usableTools,
  type AnthropicClient,
  type AnthropicMessage,
} from "./anthropic-client.ts";
import { bridgeClient, bridgeTools, messageOf, rowOf } from "./message-request.ts";

/** What a runner is made of. */
export interface AnthropicRunnerOptions extends Pick<ModelRunnerOptions, "system" | "guardAnswer"> {
  /** Its own retries stay: set `maxRetries` on it. */
  readonly client: AnthropicClient;
  readonly model: string;
  /** `max_tokens` of every request. */
  readonly maxTokens: number;
  /** Runnable tools (`betaTool`, `betaZodTool`, guarded ones …). */
  readonly tools?: readonly object[] | undefined;
  /** The conversation before the prompt. */
  readonly messages?: readonly AnthropicMessage[] | undefined;
  /**
   * What is known of the model. Default: tools, a forced choice by name unless thinking has a budget, the strict subset of
   * JSON Schema, and a format beside tools; what the provider refuses is learned at run time.
   */
  readonly capabilities?: Partial<ModelCapabilities> | undefined;
  /** Added to the body of every request: `thinking`, `metadata`, `output_config` … */
  readonly settings?: object | undefined;
  /** Told of each message of the run, in order, the prompt first; every result of a tool is one. */
  readonly onMessage?: ((message: AnthropicMessage) => void) | undefined;
}

/**
 * A `TurnRunner` on Anthropic's tool-use loop. Replies are streamed, so that the model's arguments are read as it wrote
 * them; what it answered goes back block by block, unchanged.
 *
 * @throws OutputError `unusable_host` for what is no client, or a tool that runs elsewhere.
 */
export function anthropicRunner(options: AnthropicRunnerOptions): TurnRunner {
  const { client, model, maxTokens, settings, system, messages = [], onMessage, guardAnswer } = options;
  const thinking = thinkingOf(settings);
  return modelRunner({
    model: bridgeClient(usableClient(client), { model, maxTokens, settings }),
    tools: bridgeTools(usableTools(options.tools ?? [])),
    system,
    messages: messages.map(rowOf),
    onMessage: onMessage && ((row: AiMessage): void => tell(row, onMessage)),
    guardAnswer,
    capabilities: {
      native: "with_tools",
      dialect: "anthropic",
      ...(thinking && { thinking }),
      ...options.capabilities,
    },
  });
}

function tell(row: AiMessage, onMessage: (message: AnthropicMessage) => void): void {
  if (row.role !== "system") onMessage(messageOf(row));
}

/** A thinking budget refuses a forced choice; adaptive thinking does not. Source: Anthropic's tool use documentation. */
function thinkingOf(settings: object | undefined): ModelCapabilities["thinking"] {
  const { thinking } = (settings ?? {}) as { readonly thinking?: { readonly type?: unknown } };
  if (thinking === undefined || thinking.type === "disabled") return undefined;
  return { enabled: true, allowsForcing: thinking.type === "adaptive" };
}
