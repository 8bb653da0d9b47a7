import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";

/** The part of an MCP client that is guarded: the `Client` of the official SDK has it. */
export interface McpClient {
  callTool(...args: never[]): Promise<unknown>;
  listTools(...args: never[]): Promise<unknown>;
}

/** What a call names. */
export interface McpCall {
  readonly name: string;
  readonly arguments?: JsonObject | undefined;
  readonly task?: unknown;
}

/** What a guarded call takes beside the options of the client. */
export interface McpCallOptions {
  /** The id of the model's call, as requests say it. Default: one of its own. */
  readonly toolCallId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page of `tools/list`. */
export interface McpToolPage {
  readonly tools: readonly { readonly name: string; readonly inputSchema: unknown }[];
  readonly nextCursor?: string | undefined;
}

/** The client's members as this package calls them. */
export interface McpCalls {
  callTool(params: object, ...rest: readonly unknown[]): Promise<JsonObject>;
  listTools(params?: object, ...rest: readonly unknown[]): Promise<McpToolPage>;
}

/** The options among the arguments after the first; where they stand differs by major. */
export function optionsOf(rest: readonly unknown[]): McpCallOptions {
  const options = rest.findLast((given) => typeof given === "object" && given !== null);
  const { toolCallId, signal } = (options ?? {}) as {
    readonly toolCallId?: unknown;
    readonly signal?: unknown;
  };
  return {
    toolCallId: typeof toolCallId === "string" ? toolCallId : undefined,
    signal: signal instanceof AbortSignal ? signal : undefined,
  };
}

/** What reviewers are shown of a result: the text when it is one text alone, else all of it but its verdict. */
export function shownOutput({ isError: _verdict, ...shown }: JsonObject): JsonValue {
  const { content } = shown;
  if (Object.keys(shown).length > 1 || !Array.isArray(content) || content.length !== 1) return shown;
  const [part] = content;
  if (!isJsonObject(part) || part["type"] !== "text" || Object.keys(part).length !== 2) return shown;
  return part["text"] ?? shown;
}

/** A result that a reviewer put in place: one with `content` as it is, else its text. */
export function resultOf(output: JsonValue, isError: boolean): JsonObject {
  if (isJsonObject(output) && Array.isArray(output["content"])) return { ...output, isError };
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { content: [{ type: "text", text }], isError };
}
