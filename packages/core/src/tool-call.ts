import type { JsonValue } from "./json.ts";

/** What a tool may do to the world, in rising order. Used by approval, child-policy and hosts. */
export type SideEffectLevel = "none" | "local_state" | "process" | "external";

/** A tool call as a model emitted it; `input` is the text of its arguments, not yet trusted. Used by hooks, typed-output and hosts. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

/** What a tool answered. Used by hooks and typed-output. */
export interface ToolResult {
  readonly output: JsonValue;
  readonly isError: boolean;
}
