export type {
  AgentDescription,
  ChildAnswer,
  ChildContext,
  ChildPolicy,
  RemainingBudget,
} from "./child-context.ts";
export {
  childSystemText,
  confirmPlan,
  planChild,
  type ChildPlan,
  type ChildPreview,
  type PlanOptions,
} from "./child-plan.ts";
export {
  ChildPolicyError,
  SpawnInputError,
  type AnyChildPolicyError,
  type ChildPolicyErrorCode,
  type ChildPolicyErrorDetails,
  type SpawnProblem,
} from "./child-policy-error.ts";
export type { WhenFull } from "./child-slots.ts";
export { ChildSpec } from "./child-spec.ts";
export type { ActiveChild } from "./depth-ledger.ts";
export type { ParentView, WidenMode } from "./effective-roster.ts";
export type { DelegationRequest } from "./floors.ts";
export type { DelegationLimitsOptions } from "./limits-options.ts";
export {
  createDelegationLimits,
  type ChildEntry,
  type ChildPass,
  type DelegationLimits,
  type EnterOptions,
} from "./limits.ts";
export type { ModelDirectory } from "./model-directory.ts";
export { resolveChild, type ResolveChildOptions } from "./resolve-child.ts";
export type { RunOpening } from "./run-accounts.ts";
export { parseSpawn, type SpawnCall, type SpawnGrammar } from "./spawn-grammar.ts";
export { spawnDescription, spawnPreview, type SpawnPreview } from "./spawn-preview.ts";
export type { TokenPool, TokenReservation } from "./token-pool.ts";
export { ToolRoster, type RosterForm } from "./tool-roster.ts";
