import type { InputValidator } from "../binding/input-check.ts";
import { GUARDED, unguarded, type GuardOptions, type ToolGuards } from "../binding/tool-guards.ts";
import { inputCheck } from "./ai-schema.ts";
import { isAsyncGenerator, whyUnguardable, type AiTool } from "./ai-tool.ts";
import { GuardedTool } from "./guarded-tool.ts";

/** Whose tools are guarded, and how. */
export interface GuardToolsOptions extends GuardOptions {
  /**
   * Checks the inputs of tools that bring a JSON Schema alone (`jsonSchema(…)` without `validate`, tools of an MCP
   * server): the framework does not. Needed as soon as there is such a tool.
   */
  readonly validator?: InputValidator | undefined;
  /** Names of tools that may stay outside of the guard: the provider or the client runs them. They are left as they are. */
  readonly outside?: readonly string[] | undefined;
  /** `deny`: a rewrite denies. For hosts whose approvals are asked outside of the tools (ai 7's `toolApproval`). Default `run`. */
  readonly rewrites?: "run" | "deny" | undefined;
}

/**
 * A frozen copy of a toolset of ai 6 or 7 in which every call passes the chain: before it, the input is judged and
 * checked; what a guard denies, and what it puts in place of a result, reaches the model as the call's result.
 *
 * @throws HookError `unguarded_tool` naming a tool that can run without the guard, or whose input nobody could check.
 */
export function guardTools<Tools extends object>(
  tools: Tools,
  guards: ToolGuards,
  options: GuardToolsOptions,
): Tools {
  const outside = new Set(options.outside);
  const guarded = Object.entries(tools).map(([name, tool]: [string, AiTool]) => [
    name,
    outside.has(name) ? tool : guardTool(name, tool, { guards, options }),
  ]);
  return Object.freeze(Object.fromEntries(guarded)) as Tools;
}

interface Guarding {
  readonly guards: ToolGuards;
  readonly options: GuardToolsOptions;
}

function guardTool(name: string, tool: AiTool, { guards, options }: Guarding): AiTool {
  const reason = whyUnguardable(tool);
  if (reason !== undefined) throw unguarded(name, reason);
  const check = inputCheck(tool.inputSchema, options.validator);
  if (check === undefined) throw unguarded(name, "has a JSON Schema that nobody checks: pass a validator");
  const guarded = new GuardedTool({ name, tool, check, guards, options });
  const copy: { -readonly [Member in keyof AiTool]: AiTool[Member] } & { [GUARDED]: true } = {
    ...tool,
    [GUARDED]: true,
    execute: isAsyncGenerator(tool.execute) ? guarded.stream : guarded.execute,
  };
  // It is told inside of `execute`, once the input is judged.
  delete copy.onInputAvailable;
  if (tool.needsApproval !== undefined) copy.needsApproval = guarded.needsApproval;
  if (tool.toModelOutput !== undefined) copy.toModelOutput = guarded.toModelOutput;
  const caller = tool.experimental_toolCaller;
  if (caller === undefined) return copy;
  const bind = (others: object): AiTool => guardTool(name, caller.bind(others), { guards, options });
  return Object.defineProperty(copy, "experimental_toolCaller", { value: { ...caller, bind } });
}
