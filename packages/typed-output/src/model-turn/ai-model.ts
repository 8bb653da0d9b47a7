import { outputError } from "../output-error.ts";

/** A row of the conversation, as a language model of the AI SDK gets it. */
export interface AiMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: unknown;
}

/** A part of a reply. */
export interface AiPart {
  readonly type: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The arguments as the model wrote them. */
  readonly input?: string;
  readonly providerExecuted?: boolean | undefined;
  readonly providerMetadata?: unknown;
}

/** A reply, as far as it is looked at. */
export interface AiReply {
  /** Why it broke off: nothing of its content counts, but what it cost does. */
  readonly failure?: unknown;
  readonly content: readonly AiPart[];
  readonly finishReason: { readonly unified: string; readonly raw?: string | undefined };
  readonly usage: {
    readonly inputTokens: { readonly total?: number | undefined; readonly cacheRead?: number | undefined };
    readonly outputTokens: { readonly total?: number | undefined; readonly reasoning?: number | undefined };
  };
}

/** A language model of the AI SDK: `specificationVersion` `v3` (ai 6) or `v4` (ai 7). */
export interface AiModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

/** An error about what a binding was given. */
export function unusable(field: string, reason: string): Error {
  return outputError("unusable_host", `the ${field} of the runner cannot be used: ${reason}`, {
    details: { field, reason },
  });
}
