import type { ModelInfo } from "@basis/core";
import type { ChildSpec } from "./child-spec.ts";

/** What the tree may still use; absent means unlimited. */
export interface RemainingBudget {
  /** Levels of delegation below the delegating agent. */
  readonly levels?: number | undefined;
  /** Children that may run beside those running now. */
  readonly concurrent?: number | undefined;
  /** Children this run may still start. */
  readonly children?: number | undefined;
  readonly tokens?: number | undefined;
  readonly wallClockMs?: number | undefined;
}

/** An agent description that the host found, for a policy to choose from. */
export interface AgentDescription {
  readonly name: string;
  readonly description?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly model?: ModelInfo | undefined;
  readonly system?: string | undefined;
}

/** What a policy is told about the delegation it decides. */
export interface ChildContext {
  /** The task exactly as the child reads it. */
  readonly prompt: string;
  readonly parentAgentId: string;
  /** The delegating agent's current directory: its root unless the host moved it. */
  readonly workspaceDir: string;
  /** The delegating agent's own depth; the root's is 0. */
  readonly depth: number;
  /** The delegating agent's effective tool names. */
  readonly parentTools: readonly string[];
  readonly parentModel?: ModelInfo | undefined;
  readonly remaining: RemainingBudget;
  readonly agents: readonly AgentDescription[];
  /** The delegating agent's system text, if the host gives it away. Never log it. */
  readonly parentSystem?: string | undefined;
}

/** What a policy answers: who the child is, or why there is none. */
export type ChildAnswer = ChildSpec | { readonly refuse: string };

/**
 * Decides who a delegated child is. Asked once for every delegation, at every depth.
 * Throwing, taking longer than the deadline and answering anything else refuse the delegation.
 */
export type ChildPolicy = (
  context: ChildContext,
  options: { readonly signal: AbortSignal },
) => ChildAnswer | Promise<ChildAnswer>;
