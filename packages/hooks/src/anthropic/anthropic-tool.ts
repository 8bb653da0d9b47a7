import type { JsonValue } from "@basis/core";

/** The call that a tool serves. */
export interface ToolUse {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a tool is run with beside its input. */
export interface RunContext {
  readonly toolUse?: ToolUse | undefined;
  readonly toolUseBlock?: ToolUse | undefined;
  readonly signal?: AbortSignal | null | undefined;
}

/** A tool as the tool runner takes it: a definition with `run` and `parse`. */
export interface AnthropicTool {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly mcp_server_name?: unknown;
  readonly input_schema?: unknown;
  readonly run?: ((input: JsonValue, context?: RunContext) => unknown) | undefined;
  readonly parse?: ((input: unknown) => unknown) | undefined;
}

/** The name by which a tool is called or listed. */
export function nameOf({ name, mcp_server_name: server, type }: AnthropicTool): string {
  const known = [name, server, type].find((word) => typeof word === "string");
  return typeof known === "string" ? known : "?";
}

/** Why no guard can stand around a tool, as words after its name; undefined when one can. */
export function whyUnguardable({ run, parse }: AnthropicTool): string | undefined {
  if (typeof run !== "function")
    return "has no run: the provider runs it, or whoever receives the call, and no guard is asked";
  if (typeof parse !== "function")
    return "has a run without a parse, as a toolset has, whose members are called by other names";
  return undefined;
}
