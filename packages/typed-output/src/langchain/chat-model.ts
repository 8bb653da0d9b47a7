/** A message of LangChain, as far as it is looked at. */
export interface ChatMessage {
  readonly content?: unknown;
  readonly status?: string | undefined;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  /** Of a reply that was streamed: the calls as the model wrote them. What `tool_calls` says of them may be completed. */
  readonly tool_call_chunks?: readonly {
    readonly id?: string;
    readonly index?: number | string;
    readonly args?: string;
  }[];
  /** Calls whose arguments are no JSON, as the model wrote them. */
  readonly invalid_tool_calls?: readonly {
    readonly id?: string;
    readonly name?: string;
    readonly args?: string;
  }[];
  readonly additional_kwargs?: {
    readonly tool_calls?: readonly {
      readonly id?: string;
      readonly function?: { readonly arguments?: unknown };
    }[];
  };
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly usage_metadata?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_token_details?: { readonly cache_read?: number };
    readonly output_token_details?: { readonly reasoning?: number };
  };
}

/** A chat model of LangChain that takes tools. */
export interface ChatModel {
  readonly bindTools?: unknown;
  readonly invoke?: unknown;
}

/** The members of a chat model as this package calls them. */
export interface ChatCalls {
  bindTools(tools: readonly object[], settings: object): Pick<ChatCalls, "invoke">;
  invoke(messages: readonly object[], settings: object): Promise<ChatMessage>;
}

/** A tool of LangChain. */
export interface ChatTool {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly schema?: unknown;
  readonly invoke?: unknown;
}
