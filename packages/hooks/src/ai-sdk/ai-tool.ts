import type { JsonValue } from "@basis/core";

/** What the framework hands to a tool beside its input: the same members in every supported major. */
export interface AiCallOptions {
  readonly toolCallId: string;
  readonly messages?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What `toModelOutput` is asked with. */
export interface AiOutputOptions {
  readonly toolCallId: string;
  readonly output: unknown;
}

/** A definition of code that calls other tools; ai 7 finds it under a member that no copy takes along. */
export interface AiToolCaller {
  readonly type: string;
  bind(tools: object): AiTool;
}

/** A tool of the AI SDK, as far as a guard looks at it. */
export interface AiTool {
  readonly type?: string | undefined;
  readonly isProviderExecuted?: boolean | undefined;
  readonly inputSchema?: unknown;
  readonly execute?: ((input: JsonValue, options: AiCallOptions) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: JsonValue, options: AiCallOptions) => unknown) | undefined;
  readonly onInputDelta?: unknown;
  readonly onInputAvailable?: ((options: AiCallOptions & { readonly input: unknown }) => unknown) | undefined;
  readonly toModelOutput?: ((options: AiOutputOptions) => unknown) | undefined;
  readonly experimental_toolCaller?: AiToolCaller | undefined;
}

/** The framework replaces the `execute` of a tool marked like this, whatever it is. */
const TOOL_SEARCH = Symbol.for("vercel.ai.toolSearch");

/** Why no guard can stand around a tool, as words after its name; undefined when one can. */
export function whyUnguardable(tool: AiTool): string | undefined {
  if (typeof tool !== "object" || tool === null) return "is no tool";
  if (!("inputSchema" in tool) && "parameters" in tool)
    return "has parameters in place of an inputSchema, as in ai 4: @basis/hooks/ai-sdk needs ai 6 or 7";
  if (tool.isProviderExecuted === true) return "runs at the provider, where no guard can stop it";
  if (TOOL_SEARCH in tool) return "is a tool search, whose execute the framework replaces";
  if (tool.onInputDelta !== undefined)
    return "has an onInputDelta, which reads the input before a guard has judged it";
  if (typeof tool.execute === "function") return undefined;
  if (tool.type === "provider" || tool.type === "provider-defined")
    return "runs at the provider, where no guard can stop it";
  return "has no execute: whoever receives the call runs it, and no guard is asked";
}

/** True when the framework asked a person about this call: about the input that its messages show. */
export function wasAskedFor({ messages, toolCallId }: AiCallOptions): boolean {
  return (messages ?? []).some((message) => {
    const { content } = message as { readonly content?: unknown };
    return Array.isArray(content) && content.some((part) => isRequestFor(part, toolCallId));
  });
}

function isRequestFor(part: unknown, toolCallId: string): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { type, toolCallId: id } = part as { readonly type?: unknown; readonly toolCallId?: unknown };
  return type === "tool-approval-request" && id === toolCallId;
}

/** True for a function that certainly answers an async iterable. */
export function isAsyncGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]";
}

/** True for what the framework would read value by value. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
