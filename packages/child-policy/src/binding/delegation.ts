import { newId, type JsonObject } from "@basis/core";
import { childSystemText } from "../child-plan.ts";
import { ChildPolicyError } from "../child-policy-error.ts";
import { resolveChild } from "../resolve-child.ts";
import { delegationResult, type DelegationEnd } from "../results/index.ts";
import { parseSpawn, type SpawnCall } from "../spawn-grammar.ts";
import { spawnDescription, spawnPreview, type SpawnPreview } from "../spawn-preview.ts";
import { ChildPlans, type PlannedChild } from "./child-plans.ts";
import type { ChildRun, DelegationOptions, SpawnCallOptions, SpawnFacts } from "./delegation-options.ts";

/** What the model reads in place of a child's answer, in these words alone. */
export class DelegationRefused extends Error {
  override toString(): string {
    return this.message;
  }
}

interface Decided extends PlannedChild {
  readonly key: string;
  readonly call: SpawnCall;
  readonly goesOn: boolean;
}

/** The work behind a spawn tool: floors first, the policy asked once, the plan's tools and no others. */
export class Delegation {
  readonly description: string = spawnDescription({ commands: false });
  readonly #options: DelegationOptions;
  readonly #plans = new ChildPlans();

  constructor(options: DelegationOptions) {
    this.#options = options;
  }

  /** The child's answer. Throws `DelegationRefused`, and what the host's run throws to wait for a person. */
  async run(input: unknown, how: SpawnCallOptions): Promise<string> {
    const { agentId: parentAgentId, runId, limits, waits = () => false } = this.#options;
    const { key, call, agentId, plan, goesOn } = await this.#decide(input, how).catch(refuse);
    const { abortSignal: signal } = how;
    let isWaiting = false;
    try {
      const child = { plan, prompt: call.body, abortSignal: signal, agentId };
      const work = ({ depth }: { readonly depth: number }): Promise<DelegationEnd> =>
        this.#runChild({ ...child, depth });
      const entry = { runId, parentAgentId, childAgentId: agentId, goesOn };
      const { output, isError } = delegationResult(await limits.withChild(entry, work, { signal }));
      const text = typeof output === "string" ? output : JSON.stringify(output);
      if (isError) throw new DelegationRefused(text);
      return text;
    } catch (error) {
      isWaiting = waits(error);
      return refuse(error);
    } finally {
      // The child goes on as the one that asked: by its plan and its id.
      if (isWaiting) this.#plans.wait(key);
      else this.#plans.end(key);
    }
  }

  /** What an approval shows and is bound to; the plan is the one that `run` runs. */
  async facts({
    toolCallId,
    input,
  }: {
    readonly toolCallId: string;
    readonly input: unknown;
  }): Promise<SpawnFacts> {
    const { call, plan } = await this.#decide(input, { toolCallId });
    const preview: SpawnPreview = spawnPreview(call, { cwd: this.#options.workspaceDir, plan });
    const shown = preview as unknown as JsonObject;
    return { preview: shown, binding: plan.digest, sideEffectLevel: "local_state", effect: "delegate" };
  }

  async #decide(input: unknown, { toolCallId, abortSignal }: SpawnCallOptions): Promise<Decided> {
    const { limits, runId, agentId: parentAgentId } = this.#options;
    const call = parseSpawn(input, { commands: false });
    const key = JSON.stringify([toolCallId, call.body]);
    const goesOn = this.#plans.hasBegun(key);
    limits.check({ runId, parentAgentId, goesOn });
    return { key, call, goesOn, ...(await this.#plans.of(key, () => this.#plan(call, abortSignal))) };
  }

  async #plan(call: SpawnCall, signal: AbortSignal | undefined): Promise<PlannedChild> {
    const options = this.#options;
    const { agentId: parentAgentId, runId, limits, workspaceDir, parentTools, model } = options;
    const from = { runId, parentAgentId };
    const context = {
      prompt: call.body,
      parentAgentId,
      workspaceDir,
      depth: limits.depthOf(parentAgentId),
      parentTools,
      parentModel: model,
      remaining: limits.remaining(from),
      agents: options.agents ?? [],
    };
    const parent = { tools: parentTools, hidden: [], model };
    const { policy, widen = "refuse", models } = options;
    return { agentId: newId(), plan: await resolveChild({ policy, context, parent, widen, models, signal }) };
  }

  async #runChild(child: Omit<ChildRun, "system" | "model" | "tools">): Promise<DelegationEnd> {
    const { agentId: parentAgentId, system: inherited = "", waits, ...host } = this.#options;
    const { agentId, depth, plan } = child;
    const system = childSystemText(plan.system ?? inherited);
    try {
      const offered = Object.entries(host.tools({ agentId, depth, parentAgentId }));
      const tools = Object.freeze(Object.fromEntries(offered.filter(([name]) => plan.roster.allows(name))));
      return endOf(await host.run({ ...child, tools, system, model: plan.model }));
    } catch (error) {
      if (waits?.(error) === true) throw error;
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** What a host's run answered, from which a caller in JavaScript may have left the types out. */
function endOf(answer: string | DelegationEnd | undefined): DelegationEnd {
  if (typeof answer === "string") return { text: answer };
  const { text, failure } = Object(answer) as { readonly text?: unknown; readonly failure?: unknown };
  const isEnd = [text, failure].every((said) => said === undefined || typeof said === "string");
  if (isEnd && (answer == null || typeof answer === "object")) return answer ?? {};
  return { failure: "the host answered neither a text nor how the child ended" };
}

function refuse(error: unknown): never {
  if (ChildPolicyError.is(error)) throw new DelegationRefused(error.message, { cause: error });
  throw error;
}
