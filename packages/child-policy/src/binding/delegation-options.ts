import type { JsonObject, ModelInfo } from "@basis/core";
import type { AgentDescription, ChildPolicy } from "../child-context.ts";
import type { ChildPlan } from "../child-plan.ts";
import type { WidenMode } from "../effective-roster.ts";
import type { DelegationLimits } from "../limits.ts";
import type { ModelDirectory } from "../model-directory.ts";
import type { DelegationEnd } from "../results/index.ts";

/** Tools by name, of whichever framework. */
export type Toolset = Readonly<Record<string, object>>;

/** A child as its host runs it: hand these to `generateText`, or to an agent. */
export interface ChildRun<Tools extends object = Toolset> {
  readonly agentId: string;
  /** 1 for a child of the root. */
  readonly depth: number;
  readonly prompt: string;
  /** The whole system text: the plan's or the inherited one, and the standing instructions of a subagent. */
  readonly system: string;
  /** What the policy put in place of the parent's model; absent when it is inherited. */
  readonly model?: ModelInfo | undefined;
  /** Exactly the tools of the plan. */
  readonly tools: Readonly<Record<string, Tools[keyof Tools]>>;
  readonly plan: ChildPlan;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Who delegates, and to what. */
export interface SpawnToolOptions<Tools extends object = Toolset> {
  readonly agentId: string;
  readonly runId: string;
  readonly limits: DelegationLimits;
  readonly workspaceDir: string;
  /** Names of the tools that the delegating agent has. */
  readonly parentTools: readonly string[];
  /** The toolset of one child before its roster is applied, guarded for that agent; its own spawn tool included, if it may have one. */
  tools(child: Pick<ChildRun, "agentId" | "depth"> & { readonly parentAgentId: string }): Tools;
  /** Answers the child's last text; undefined when it said nothing. */
  run(child: ChildRun<Tools>): PromiseLike<string | DelegationEnd | undefined>;
  /** Absent: every child inherits. */
  readonly policy?: ChildPolicy | undefined;
  /** Default `refuse`: a child with a tool that the parent lacks is refused. */
  readonly widen?: WidenMode | undefined;
  readonly model?: ModelInfo | undefined;
  readonly models?: ModelDirectory | undefined;
  /** The delegating agent's system text. A child that inherits it is given it; a policy is not shown it. */
  readonly system?: string | undefined;
  readonly agents?: readonly AgentDescription[] | undefined;
}

/** What the framework hands to the tool beside its input. */
export interface SpawnCallOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What an approval shows of a delegation, and is bound to. */
export interface SpawnFacts {
  readonly preview: JsonObject;
  readonly binding: string;
  readonly sideEffectLevel: "local_state";
  readonly effect: "delegate";
}

/** What a binding adds to it. */
export interface DelegationOptions extends SpawnToolOptions {
  /** True for what a framework throws to wait for a person: the child goes on later, under the same id. */
  readonly waits?: ((error: unknown) => boolean) | undefined;
}
