import type { JsonValue } from "@basis/core";
import { providerSetting } from "@basis/core/provider-tools";

/** What a message that answers a tool call is made from. */
export interface ToolMessageFields {
  readonly content: never;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status: "success" | "error";
}

/** The hooks of the middleware that asks about an agent's calls. */
export interface ApprovalHooks {
  readonly name: string;
  readonly wrapToolCall: (request: ToolCallRequest, handler: (request: never) => unknown) => Promise<never>;
  readonly wrapModelCall: (request: ModelRequest, handler: (request: never) => unknown) => Promise<never>;
}

/** The part of the module `langchain` that is needed. */
export interface LangChain<Middleware> {
  readonly createMiddleware: (config: ApprovalHooks) => Middleware;
  readonly ToolMessage: new (fields: ToolMessageFields) => object;
}

/** A tool as far as an approval looks at it; one that runs in the process has `invoke`. */
export interface LangChainTool {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly schema?: unknown;
  readonly invoke?: ((call: { readonly args: unknown }, config: unknown) => unknown) | undefined;
}

/** What `wrapToolCall` is asked with. */
export interface ToolCallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
  readonly tool: object | undefined;
  readonly runtime: {
    readonly signal?: AbortSignal | undefined;
    /** Ends the run with a question, and answers it when the run goes on. */
    readonly interrupt?: ((question: never) => unknown) | undefined;
  };
}

/** What `wrapModelCall` is asked with. */
export interface ModelRequest {
  readonly tools?: readonly object[] | undefined;
  readonly modelSettings?: { readonly tools?: unknown } | undefined;
}

/** The question that interrupts a run; the value of `__interrupt__`. */
export interface ApprovalQuestion {
  readonly approvalId: string;
  readonly toolName: string;
  readonly toolCallId: string;
  /** The final input, exactly as the tool will get it. */
  readonly input: JsonValue;
  readonly preview?: JsonValue | undefined;
}

/** What a run is resumed with: `new Command({ resume })`. It answers the question that it names, and no other. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly decision: "allow" | "deny";
  /** What the model reads of a no. */
  readonly reason?: string | undefined;
}

/** The tool among those offered that is not run in this process, by its name or type; undefined when there is none. */
export function foreignTool(
  { tools, modelSettings }: ModelRequest,
  outside: readonly string[],
): string | undefined {
  const setting = providerSetting(modelSettings);
  if (setting !== undefined && !outside.includes(setting)) return setting;
  const set = modelSettings?.tools;
  const offered: readonly LangChainTool[] = [
    ...(tools ?? []),
    ...(Array.isArray(set) ? (set as object[]) : []),
  ];
  for (const tool of offered) {
    if (typeof tool.invoke === "function") continue;
    const { function: definition } = tool as { readonly function?: LangChainTool };
    // Google's have no name but their key: `{ codeExecution: {} }`.
    const names = [definition?.name, tool.name, tool.type, Object.keys(tool)[0]];
    const known = names.filter((name) => typeof name === "string");
    if (!known.some((name) => outside.includes(name))) return known[0] ?? "?";
  }
  return undefined;
}
