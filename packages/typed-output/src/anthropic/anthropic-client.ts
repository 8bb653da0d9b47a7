import { unusable } from "../model-turn/ai-model.ts";

/** A block of a message, as far as it is looked at. */
export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** A message of the conversation, as `MessageParam` of `@anthropic-ai/sdk`. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: unknown;
}

/** A client of `@anthropic-ai/sdk` 1, or what has its `messages.create`: `{ messages: client.beta.messages }`. */
export interface AnthropicClient {
  readonly messages: { create(...args: never[]): unknown };
}

/** The member of a client as this package calls it. */
export interface MessageCalls {
  create(body: object, options: { readonly signal: AbortSignal }): PromiseLike<AsyncIterable<StreamEvent>>;
}

/** An event of a streamed reply. */
export interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage?: AnthropicUsage };
  readonly content_block?: Block;
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly usage?: AnthropicUsage;
}

/** Tokens as the provider counts them; those of the cache are not among `input_tokens`. */
export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
}

/** A runnable tool, as the SDK's tool runner takes it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: unknown;
  run(input: unknown, context: object): unknown;
  parse?(input: unknown): unknown;
}

/** The client's calls, if it has them. @throws OutputError `unusable_host`. */
export function usableClient(client: AnthropicClient): MessageCalls {
  if (typeof client?.messages?.create === "function") return client.messages as unknown as MessageCalls;
  throw unusable(
    "client",
    "it has no messages.create: @basis/typed-output/anthropic needs a client of @anthropic-ai/sdk 1",
  );
}

/** The tools, if each can run here. @throws OutputError `unusable_host`. */
export function usableTools(tools: readonly object[]): readonly AnthropicTool[] {
  for (const { name, type, run, input_schema: schema } of tools as readonly (Partial<AnthropicTool> & {
    readonly type?: unknown;
  })[]) {
    if (typeof name !== "string" || typeof run !== "function" || schema === undefined)
      throw unusable(
        "tools",
        `'${name ?? String(type)}' runs somewhere else, or is no tool: pass runnable tools`,
      );
  }
  return tools as readonly AnthropicTool[];
}
