import { canonicalJson, type JsonValue } from "@basis/core";
import { RefusedCall, whyGuardedInside } from "../binding/refused-call.ts";

/** What the runner hands to a tool beside its input. */
export interface ToolDetails {
  readonly toolCall?:
    | { readonly callId: string; readonly arguments?: string; readonly namespace?: string }
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A function tool of OpenAI Agents, as far as an approval looks at it. */
export interface FunctionTool {
  readonly type: string;
  readonly name: string;
  readonly parameters?: unknown;
  invoke(context: unknown, input: string, details?: ToolDetails): Promise<unknown>;
  /** Guards say in `about` whether the input can be shown; the framework says nothing there. */
  needsApproval(context: unknown, input: unknown, callId?: string, about?: object): Promise<boolean>;
}

/** Why no gate can stand before a tool, as words after its name; undefined when one can. */
export function whyUngated(tool: FunctionTool): string | undefined {
  if (typeof tool !== "object" || tool === null) return "is no tool";
  if (tool.type !== "function") return "is run by the provider, or by an executor that no gate is shown";
  if (typeof tool.invoke !== "function" || typeof tool.needsApproval !== "function")
    return "has no invoke: @basis/approval/openai-agents needs tools of @openai/agents 0.20";
  if ("on" in tool) return "runs an agent, and shares its object with it: gate the agent's own tools";
  return whyGuardedInside(tool);
}

/** True when a person said yes to this call, or to all of this tool's. */
export function isApproved(context: unknown, name: string, { toolCall }: ToolDetails = {}): boolean {
  const { isToolApproved } = Object(context) as {
    isToolApproved?(question: { readonly toolName: string; readonly callId: string }): boolean | undefined;
  };
  if (typeof isToolApproved !== "function" || toolCall === undefined) return false;
  const { callId, namespace } = toolCall;
  const names = namespace === undefined ? [name] : [name, `${namespace}.${name}`];
  return names.some((toolName) => isToolApproved.call(context, { toolName, callId }) === true);
}

/** Under this symbol the runner is told what a tool's schema made of an input, just before it executes. */
const TELL_PARSED = "openai.agents.functionToolParsedInputCallback";

/** Details that stop a tool before it executes when its schema makes another input of what was allowed; `report` is told. */
export function heldTo(
  input: JsonValue,
  details: ToolDetails | undefined,
  report: () => void,
): ToolDetails | undefined {
  if (details === undefined) return undefined;
  const key = Object.getOwnPropertySymbols(details).find(({ description }) => description === TELL_PARSED);
  if (key === undefined) return details;
  const copy = Object.create(
    Object.getPrototypeOf(details) as object,
    Object.getOwnPropertyDescriptors(details),
  ) as Record<symbol, unknown>;
  const tell = copy[key] as ((value: unknown) => void) | undefined;
  copy[key] = (value: unknown): void => {
    if (canonicalJson(JSON.parse(JSON.stringify(value))) !== canonicalJson(input)) {
      report();
      throw new RefusedCall("the schema makes another input of what was allowed");
    }
    tell?.(value);
  };
  return copy;
}
