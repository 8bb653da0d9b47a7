import { DeadlineError, isJsonObject, joinSignals, type JsonObject, type JsonValue } from "@basis/core";
import {
  parseSpawn,
  resolveChild,
  spawnDescription,
  spawnPreview,
  type ChildPlan,
  type ChildPolicy,
  type DelegationLimits,
  type DelegationRequest,
  type SpawnCall,
  type WidenMode,
} from "@basis/child-policy";
import { commandResult } from "@basis/child-policy/results";
import { fileDigests, shellWords } from "../../tools/file-digests.ts";
import { COMMAND_TIMEOUT_MS, runArgv, type CommandSetting } from "../../tools/run-tool.ts";
import type {
  CallFacts,
  PreparedCall,
  Tool,
  ToolContext,
  ToolEffect,
  ToolOutcome,
} from "../../tools/tool.ts";
import type { ModelSource } from "../../providers/model-source.ts";
import { agentsInWords, type NamedAgent } from "./named-agents.ts";
import type { RunContext } from "../run/run-context.ts";

/** How a host delegates. */
export interface DelegationSetting {
  readonly policy?: ChildPolicy | undefined;
  readonly widen: WidenMode;
  readonly limits: DelegationLimits;
  readonly models: ModelSource;
  /** Absent: commands are off. */
  readonly commands: CommandSetting | undefined;
  /** Those that the policy may choose from. */
  readonly agents: readonly NamedAgent[];
  /** Every tool name of the workspace. */
  readonly registered: readonly string[];
  /** What a model is told of the tool. */
  readonly description: string;
}

/** How a host delegates, with what its models are told of it. */
export function delegationSetting(setting: Omit<DelegationSetting, "description">): DelegationSetting {
  const grammar = { commands: setting.commands !== undefined };
  return { ...setting, description: spawnDescription(grammar) + agentsInWords(setting.agents) };
}

/** A decided delegation, as it is carried out. */
export interface Delegation {
  readonly parent: RunContext;
  readonly task: string;
  readonly plan: ChildPlan;
  readonly facts: CallFacts;
}

/** Starts a child exactly as planned and answers with its last message. */
export type StartChild = (delegation: Delegation, signal: AbortSignal) => ReturnType<PreparedCall["execute"]>;

const inputSchema: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "The task, whole; or a command after a !" } },
  required: ["input"],
  additionalProperties: false,
};

/**
 * `spawn`, for one agent: a task goes to a subagent, a `!command` runs here. Floors stand before everything; the policy
 * is asked once; the plan that the approver saw is the one that is started.
 */
export function spawnTool(run: () => RunContext, setting: DelegationSetting, start: StartChild): Tool {
  const prepare = async (input: unknown, facts: CallFacts): Promise<PreparedCall> => {
    // Whoever was not given `run` has no commands by this door either.
    const call = parseSpawn(input, {
      commands: setting.commands !== undefined && run().agent.tools.has("run"),
    });
    return call.mode === "command"
      ? prepareCommand(call, setting.commands!)
      : prepareTask(call, { run: run(), setting, start, facts });
  };
  return {
    name: "spawn",
    description: setting.description,
    inputSchema,
    effect: "delegate",
    effectOf,
    level: "local_state",
    source: "builtin",
    parallelSafe,
    prepare,
    execute,
  };
}

const effectOf = (input: JsonValue): ToolEffect => (isCommand(input) ? "command" : "delegate");
const parallelSafe = (): boolean => false;
const execute = (): Promise<never> => Promise.reject(new Error("spawn runs what it prepared"));

/** As the grammar reads it; what has no meaning counts as the stronger of the two. */
function isCommand(input: JsonValue): boolean {
  const text = isJsonObject(input) ? input["input"] : input;
  return typeof text !== "string" || /^\s*!(?!!)/.test(text);
}

function prepareCommand(call: SpawnCall, commands: CommandSetting): PreparedCall {
  return {
    preview: previewJson(call, commands.root),
    level: "process",
    evidence: () => fileDigests(commands.root, shellWords(call.body)),
    execute: (context) => runCommand(call.body, commands, context),
  };
}

/** Runs shell text by the shell whose grammar it is: `sh`, without its start-up files. */
async function runCommand(
  body: string,
  commands: CommandSetting,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { signal, progress } = context;
  const timeoutMs = commands.timeoutMs ?? COMMAND_TIMEOUT_MS;
  const late = new AbortController();
  const joined = joinSignals(signal, late.signal);
  const alarm = setTimeout(() => late.abort(new DeadlineError(timeoutMs)), timeoutMs);
  try {
    const end = await runArgv(["/bin/sh", "-c", body], commands, { signal: joined.signal, progress });
    const { stdout, stderr, exitCode, exitSignal } = end;
    return commandResult({ stdout, stderr, exitCode, ...(exitSignal !== null && { signal: exitSignal }) });
  } catch (error) {
    if (!(error instanceof DeadlineError) || signal.aborted) throw error;
    return commandResult({ stdout: "", stderr: "", exitCode: null, timedOut: true });
  } finally {
    clearTimeout(alarm);
    joined.release();
  }
}

interface TaskParts {
  readonly run: RunContext;
  readonly setting: DelegationSetting;
  readonly start: StartChild;
  readonly facts: CallFacts;
}

async function prepareTask(
  call: SpawnCall,
  { run, setting, start, facts }: TaskParts,
): Promise<PreparedCall> {
  const goesOn = facts.waiting !== undefined;
  const request = { runId: run.scope.run, parentAgentId: run.agent.agentId, goesOn };
  setting.limits.check(request);
  const plan = await planTask(call, { run, setting, request });
  const preview = previewJson(call, run.root, plan);
  run.emit("child_previewed", {
    call_key: facts.callKey,
    tool_call_id: facts.toolCallId,
    tool_name: "spawn",
    preview: preview as never,
    plan_digest: plan.digest,
    dropped: [...plan.dropped],
    ...(plan.unknown.length > 0 && { unknown: [...plan.unknown] }),
  });
  return {
    preview,
    binding: plan.digest,
    endsItself: true,
    async execute({ signal }) {
      setting.limits.check(request);
      return start({ parent: run, task: call.body, plan, facts }, signal);
    },
  };
}

function previewJson(call: SpawnCall, cwd: string, plan?: ChildPlan): JsonValue {
  return spawnPreview(call, { cwd, plan }) as unknown as JsonValue;
}

interface PlanParts extends Pick<TaskParts, "run" | "setting"> {
  readonly request: DelegationRequest;
}

function planTask(call: SpawnCall, { run, setting, request }: PlanParts): Promise<ChildPlan> {
  const tools = [...run.agent.tools.keys()].toSorted();
  const model = run.agent.model.ref;
  return resolveChild({
    policy: setting.policy,
    context: {
      prompt: call.body,
      parentAgentId: run.agent.agentId,
      workspaceDir: run.root,
      depth: setting.limits.depthOf(run.agent.agentId),
      parentTools: tools,
      parentModel: model,
      remaining: setting.limits.remaining(request),
      agents: setting.agents.map(({ description }) => description),
    },
    parent: { tools, hidden: [], model, registered: [...setting.registered, "spawn"] },
    widen: setting.widen,
    models: { isRegistered: (provider) => setting.models.isRegistered(provider) },
    signal: run.ending.signal,
    clock: run.clock,
  });
}
