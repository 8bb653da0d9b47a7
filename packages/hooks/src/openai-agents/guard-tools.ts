import { jsonCheck, type InputValidator } from "../binding/input-check.ts";
import { GUARDED, unguarded, type GuardOptions, type ToolGuards } from "../binding/tool-guards.ts";
import { runsAgent, whyUnguardable, type AgentTool, type FunctionTool } from "./agent-tool.ts";
import { GuardedTool } from "./guarded-tool.ts";

/** Whose tools are guarded, and how. */
export interface GuardToolsOptions extends GuardOptions {
  /** Holds inputs to a tool's JSON Schema, which the framework does for Zod alone; which of the two a tool was made of is not told. */
  readonly validator: InputValidator;
  /** Names of tools that may stay outside of the guard. They are left as they are. */
  readonly outside?: readonly string[] | undefined;
}

/**
 * A frozen list of the tools of an agent of `@openai/agents` in which every call passes the chain: before it, the input
 * is judged and checked; what a guard denies, and what it puts in place of a result, is the result that the model reads.
 * A tool of `guardAgent(…).asTool(…)` is guarded in place.
 *
 * @throws HookError `unguarded_tool` naming a tool that can run without the guard, or whose input nobody could check.
 */
export function guardTools<Tool extends object>(
  tools: readonly Tool[],
  guards: ToolGuards,
  options: GuardToolsOptions,
): Tool[] {
  const outside = new Set(options.outside);
  const guarded = (tools as readonly (Tool & AgentTool)[]).map((tool) =>
    outside.has(tool?.name) ? tool : (guardTool(tool, { guards, options }) as unknown as Tool),
  );
  return Object.freeze(guarded) as Tool[];
}

interface Guarding {
  readonly guards: ToolGuards;
  readonly options: GuardToolsOptions;
}

function guardTool(given: AgentTool, { guards, options }: Guarding): FunctionTool {
  const name = given?.name ?? "?";
  const reason = whyUnguardable(given);
  if (reason !== undefined) throw unguarded(name, reason);
  if (typeof options.validator?.compile !== "function")
    throw unguarded(name, "has a JSON Schema that nobody checks: pass a validator");
  const tool = given as FunctionTool;
  const { invoke, needsApproval, parameters: jsonSchema } = tool;
  const check = jsonCheck({ jsonSchema }, options.validator);
  const bound = { invoke: invoke.bind(tool), needsApproval: needsApproval.bind(tool) };
  const guarded = new GuardedTool({ name, ...bound, check, guards, options });
  const members = { [GUARDED]: true, invoke: guarded.invoke, needsApproval: guarded.needsApproval };
  // The framework knows the agent behind a tool by the tool itself: a copy of it could not be resumed.
  const copy = runsAgent(tool) ? Object.assign(tool, members) : copyWith(tool, members);
  if (needsApproval.length === 0) void keepConstant(copy, needsApproval);
  return copy;
}

/**
 * A tool that needs no approval keeps the function that says so: the framework knows it, and asks a person about calls
 * with malformed arguments where it does not. Calls look whether they need one when they run, all the same.
 */
async function keepConstant(
  copy: { needsApproval: FunctionTool["needsApproval"] },
  constant: FunctionTool["needsApproval"],
): Promise<void> {
  const isNeeded = await constant.call(copy, undefined, undefined).catch(() => true);
  if (!isNeeded) copy.needsApproval = constant;
}

/** A copy with these members in place of its own; also of a frozen tool, and with what is named by symbols or not enumerated. */
function copyWith<Members extends object>(tool: FunctionTool, members: Members): FunctionTool & Members {
  const own = Object.getOwnPropertyDescriptors(tool);
  const descriptors = { ...own, ...Object.getOwnPropertyDescriptors(members) };
  return Object.create(Object.getPrototypeOf(tool) as object, descriptors) as FunctionTool & Members;
}
