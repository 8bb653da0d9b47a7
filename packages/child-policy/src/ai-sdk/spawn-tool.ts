import { newId, type JsonObject } from "@basis/core";
import { childSystemText, type ChildPlan } from "../child-plan.ts";
import { ChildPolicyError } from "../child-policy-error.ts";
import { resolveChild } from "../resolve-child.ts";
import { delegationResult, type DelegationEnd } from "../results/index.ts";
import { parseSpawn, type SpawnCall } from "../spawn-grammar.ts";
import { spawnDescription, spawnPreview, type SpawnPreview } from "../spawn-preview.ts";
import { ChildPlans } from "./child-plans.ts";
import type { ChildRun, SpawnCallOptions, SpawnTool, SpawnToolOptions } from "./spawn-options.ts";
import { spawnSchema } from "./spawn-schema.ts";

/**
 * A `spawn` tool for ai 6 and 7: floors first, the policy asked once, the plan's tools and no others. What stands against a
 * delegation is the call's error result.
 */
export function spawnTool(options: SpawnToolOptions): SpawnTool {
  const { agentId, runId, limits } = options;
  const plans = new ChildPlans();
  const from = { runId, parentAgentId: agentId, mode: "agent" } as const;
  const decide = async (input: unknown, { toolCallId, abortSignal }: SpawnCallOptions): Promise<Decided> => {
    const call = parseSpawn(input, { commands: false });
    limits.check(from);
    const key = JSON.stringify([toolCallId, call.body]);
    return { key, call, plan: await plans.of(key, () => planOf(options, call, abortSignal)) };
  };
  return Object.freeze({
    description: spawnDescription({ commands: false }),
    inputSchema: spawnSchema(),
    async execute(input, how) {
      const { key, call, plan } = await decide(input, how).catch(refuse);
      const { abortSignal: signal } = how;
      const entry = { runId, parentAgentId: agentId, childAgentId: newId() };
      try {
        const child = { plan, prompt: call.body, abortSignal: signal, agentId: entry.childAgentId };
        const work = ({ depth }: { readonly depth: number }): Promise<DelegationEnd> =>
          runChild(options, { ...child, depth });
        const { output, isError } = delegationResult(await limits.withChild(entry, work, { signal }));
        const text = typeof output === "string" ? output : JSON.stringify(output);
        if (isError) throw new DelegationRefused(text);
        return text;
      } catch (error) {
        return refuse(error);
      } finally {
        plans.end(key);
      }
    },
    async facts({ toolCallId, input }) {
      const { call, plan } = await decide(input, { toolCallId });
      const preview: SpawnPreview = spawnPreview(call, { cwd: options.workspaceDir, plan });
      const shown = preview as unknown as JsonObject;
      return { preview: shown, binding: plan.digest, sideEffectLevel: "local_state", effect: "delegate" };
    },
  } satisfies SpawnTool);
}

interface Decided {
  readonly key: string;
  readonly call: SpawnCall;
  readonly plan: ChildPlan;
}

function planOf(
  options: SpawnToolOptions,
  call: SpawnCall,
  signal: AbortSignal | undefined,
): Promise<ChildPlan> {
  const { agentId, runId, limits, workspaceDir, parentTools, model, widen = "refuse" } = options;
  const from = { runId, parentAgentId: agentId };
  const context = {
    prompt: call.body,
    parentAgentId: agentId,
    workspaceDir,
    depth: limits.depthOf(agentId),
    parentTools,
    parentModel: model,
    remaining: limits.remaining(from),
    agents: options.agents ?? [],
  };
  const parent = { tools: parentTools, hidden: [], model };
  return resolveChild({ policy: options.policy, context, parent, widen, models: options.models, signal });
}

async function runChild(
  options: SpawnToolOptions,
  child: Omit<ChildRun, "system" | "model" | "tools">,
): Promise<DelegationEnd> {
  const { agentId, depth, plan } = child;
  const offered = Object.entries(
    options.tools({ agentId, depth, parentAgentId: options.agentId }) as Record<string, object>,
  );
  const tools = Object.freeze(Object.fromEntries(offered.filter(([name]) => plan.roster.allows(name))));
  const system = childSystemText(plan.system ?? options.system ?? "");
  try {
    const end = await options.run({ ...child, tools, system, model: plan.model });
    return typeof end === "string" ? { text: end } : end;
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

/** What the model reads in place of a child's answer, in these words alone. */
export class DelegationRefused extends Error {
  override toString(): string {
    return this.message;
  }
}

function refuse(error: unknown): never {
  if (ChildPolicyError.is(error)) throw new DelegationRefused(error.message, { cause: error });
  throw error;
}
