import { unguarded, type ToolGuards } from "../binding/tool-guards.ts";
import { nameOf, whyUnguardable, type AnthropicTool } from "./anthropic-tool.ts";
import { GuardedTool, type GuardAnthropicToolsOptions } from "./guarded-tool.ts";

const guardedTools = new WeakSet<object>();

/** True for a tool that `guardTools` made. */
export function isGuarded(tool: object): boolean {
  return guardedTools.has(tool);
}

/**
 * Copies of runnable tools (`betaTool`, `betaZodTool`, those of an MCP server …) with the chain around every call, for
 * `client.beta.messages.toolRunner`, for a runner of sessions, and for `answerToolUses`.
 *
 * @throws HookError `unguarded_tool` naming a tool that can run without the guard.
 */
export function guardTools<Tool extends object>(
  tools: readonly Tool[],
  guards: ToolGuards,
  options: GuardAnthropicToolsOptions,
): Tool[] {
  return tools.map((tool: Tool & AnthropicTool) => {
    const name = nameOf(tool);
    if (options.outside?.includes(name)) return tool;
    const reason = whyUnguardable(tool);
    if (reason !== undefined) throw unguarded(name, reason);
    const { run } = new GuardedTool({ tool, guards, options });
    // The input is parsed inside of `run`, once it is judged.
    const copy = Object.freeze({ ...tool, run, parse: (input: unknown) => input });
    guardedTools.add(copy);
    return copy;
  });
}
