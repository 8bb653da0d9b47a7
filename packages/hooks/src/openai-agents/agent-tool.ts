/** What the runner hands to a tool beside its input. */
export interface ToolDetails {
  readonly toolCall?:
    | { readonly callId: string; readonly arguments?: string; readonly namespace?: string }
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The part of a run's context that knows what a person has decided. */
export interface ApprovalLedger {
  isToolApproved?(question: { readonly toolName: string; readonly callId: string }): boolean | undefined;
}

/** A function tool of OpenAI Agents, as far as a guard looks at it. */
export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly parameters: unknown;
  invoke(context: unknown, input: string, details?: ToolDetails): Promise<unknown>;
  /** The framework itself gives no `about`. */
  needsApproval(context: unknown, input: unknown, callId?: string, about?: object): Promise<boolean>;
  /** Tools of `agent.asTool()` alone have it. */
  readonly on?: unknown;
}

/** Whatever may stand in the `tools` of an agent. */
export interface AgentTool {
  readonly type: string;
  readonly name: string;
}

const ELSEWHERE: Readonly<Record<string, string>> = {
  hosted_tool: "runs at the provider, where no guard can stop it",
  computer: "drives a computer by actions that no guard is shown: offer a function tool instead",
  shell: "runs commands past the guards: offer a function tool instead",
  apply_patch: "edits files past the guards: offer a function tool instead",
};

/** `invoke` of each tool that an agent made whose own tools are guarded. Copies of a tool share it. */
const ofGuardedAgents = new WeakSet<object>();

/** Notes a tool as one of an agent whose own tools are guarded. */
export function noteGuardedAgent(tool: FunctionTool): void {
  ofGuardedAgents.add(tool.invoke);
}

/** True for a tool that runs an agent. */
export function runsAgent(tool: FunctionTool): boolean {
  return typeof tool.on === "function";
}

/** Why no guard can stand around a tool, as words after its name; undefined when one can. */
export function whyUnguardable(tool: AgentTool): string | undefined {
  if (typeof tool !== "object" || tool === null) return "is no tool";
  const elsewhere = ELSEWHERE[tool.type];
  if (elsewhere !== undefined) return elsewhere;
  const { type, invoke, needsApproval } = tool as Partial<FunctionTool>;
  if (type !== "function") return `is of type '${tool.type}', which no guard knows`;
  if (typeof invoke !== "function" || typeof needsApproval !== "function")
    return "has no invoke: @basis/hooks/openai-agents needs tools of @openai/agents 0.20";
  if (runsAgent(tool as FunctionTool) && !ofGuardedAgents.has(invoke))
    return "runs an agent whose own tools no guard sees, or is guarded already: make it by guardAgent(…).asTool(…), once for each agent";
  return undefined;
}
