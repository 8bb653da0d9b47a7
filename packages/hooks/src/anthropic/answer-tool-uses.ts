import type { JsonValue } from "@basis/core";
import { unguarded } from "../binding/tool-guards.ts";
import { nameOf, type AnthropicTool, type RunContext, type ToolUse } from "./anthropic-tool.ts";
import { isGuarded } from "./guard-tools.ts";
import { thrownContent } from "./guarded-tool.ts";

/** A block that answers a call. */
export interface ToolResult {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: never;
  readonly is_error?: boolean;
}

/** How the calls of a reply are answered. */
export interface AnswerOptions {
  readonly signal?: AbortSignal | undefined;
  /** Names of tools that the provider may run itself. */
  readonly outside?: readonly string[] | undefined;
}

/**
 * Runs the calls of a reply of `messages.create` at once, and answers a result for each: the content of the next
 * message of the user, empty when the model called nothing. Whatever goes wrong in a call is its error result.
 *
 * @throws HookError `unguarded_tool` for a tool that `guardTools` did not make, and for a call that the provider ran.
 */
export async function answerToolUses(
  { content }: { readonly content: readonly object[] },
  tools: readonly object[],
  { signal, outside = [] }: AnswerOptions = {},
): Promise<ToolResult[]> {
  const byName = new Map(tools.map((tool: AnthropicTool) => [nameOf(tool), tool]));
  for (const [name, tool] of byName)
    if (!isGuarded(tool) && !outside.includes(name)) throw unguarded(name, "is not guarded");
  const blocks = content as readonly ToolUse[];
  const foreign = blocks.find(({ type, name }) => type.endsWith("_tool_use") && !outside.includes(name));
  if (foreign) throw unguarded(foreign.name, "was run by the provider, where no guard could stop it");
  const calls = blocks.filter(({ type }) => type === "tool_use");
  return Promise.all(calls.map(async (call) => answer(call, byName.get(call.name), signal)));
}

async function answer(
  toolUse: ToolUse,
  tool: AnthropicTool | undefined,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const result = { type: "tool_result", tool_use_id: toolUse.id } as const;
  if (typeof tool?.run !== "function")
    return { ...result, content: `Error: there is no tool '${toolUse.name}'` as never, is_error: true };
  const context: RunContext = { toolUse, toolUseBlock: toolUse, signal };
  try {
    return { ...result, content: (await tool.run(toolUse.input as JsonValue, context)) as never };
  } catch (error) {
    return { ...result, content: thrownContent(error) as never, is_error: true };
  }
}
