import { digestJson, type ModelInfo, type ModelRef } from "@basis/core";
import { ChildPolicyError } from "./child-policy-error.ts";
import { ChildSpec } from "./child-spec.ts";
import { effectiveRoster, type ParentView, type WidenMode } from "./effective-roster.ts";
import type { RosterForm, ToolRoster } from "./tool-roster.ts";

/** What a plan overrides, as an approver sees it; keys are sorted and absent where the parent's is inherited. */
export interface ChildPreview {
  readonly model?: { readonly id: string; readonly provider: string };
  readonly roster?: RosterForm;
  /** The text itself never travels. */
  readonly system?: "replaced";
}

/** One decided child. Frozen: what was previewed is what is spawned. */
export interface ChildPlan {
  /** Covers roster, model and system text, inherited or not. */
  readonly digest: string;
  /** What the child may use, everything considered. A call to any other tool is answered with an error. */
  readonly roster: ToolRoster;
  /** The override; absent when the parent's model is inherited. */
  readonly model?: ModelInfo;
  /**
   * The override, without the subagent instructions; absent when the parent's system text is inherited.
   * Not enumerable, so that it does not travel with JSON or a copy.
   */
  readonly system?: string;
  /** Requested names that the child does not get, sorted. */
  readonly dropped: readonly string[];
  /** Requested names that no tool has, sorted; known only when the host lists its registered tools. */
  readonly unknown: readonly string[];
  /** Undefined when nothing is overridden. */
  preview(): ChildPreview | undefined;
}

/** How `planChild` is told. */
export interface PlanOptions {
  /** What happens to tools the parent lacks. Default `allow`. */
  readonly widen?: WidenMode | undefined;
}

/**
 * Turns a spec into the one plan of a delegation. Pure.
 *
 * @throws ChildPolicyError `roster_wider` under `widen: "refuse"`, `invalid_spec` for what is no spec.
 */
export function planChild(parent: ParentView, spec: ChildSpec, options: PlanOptions = {}): ChildPlan {
  if (!ChildSpec.is(spec)) {
    throw new ChildPolicyError("invalid_spec", "a plan is made from a ChildSpec", {
      details: { field: "spec", problem: "is no ChildSpec" },
    });
  }
  const { roster, dropped, unknown } = effectiveRoster(parent, spec.roster, options.widen ?? "allow");
  const preview = previewOf(spec);
  const facts = {
    format: "basis.child-plan/1",
    roster: settledForm(roster, parent, spec),
    model: refOf(spec.model ?? parent.model),
    system: spec.system,
    preview,
  };
  const plan = {
    digest: digestJson(facts),
    roster,
    ...(spec.model && { model: spec.model }),
    dropped: Object.freeze(dropped),
    unknown: Object.freeze(unknown),
    preview: () => preview,
  };
  if (spec.system !== undefined) Object.defineProperty(plan, "system", { value: spec.system });
  return Object.freeze(plan);
}

/**
 * The plan itself, if it is the approved one.
 *
 * @throws ChildPolicyError `plan_changed` when its digest is another.
 */
export function confirmPlan(plan: ChildPlan, approvedDigest: string): ChildPlan {
  if (plan.digest === approvedDigest) return plan;
  throw new ChildPolicyError("plan_changed", "the child is no longer the one that was approved", {
    details: { approved: approvedDigest, found: plan.digest },
  });
}

/** What every child is told last, after an inherited and after a replaced system text. */
const SUBAGENT_INSTRUCTIONS: string =
  "You are a subagent. Another agent handed you one task and reads nothing of your work but your last message: " +
  "finish the task, then answer with everything it needs in that message.";

/** A child's whole system text: `system` (the plan's, else the inherited one) and the subagent instructions after it. */
export function childSystemText(system: string): string {
  return system === "" ? SUBAGENT_INSTRUCTIONS : `${system}\n\n${SUBAGENT_INSTRUCTIONS}`;
}

/** What a spec overrides, in the form that may be shown and logged. */
export function previewOf(spec: ChildSpec): ChildPreview | undefined {
  const { model, roster, system } = spec;
  if (model === undefined && roster === undefined && system === undefined) return undefined;
  return Object.freeze({
    ...(model && { model: Object.freeze({ id: model.id, provider: model.provider }) }),
    ...(roster && { roster: Object.freeze(roster.form()) }),
    ...(system !== undefined && { system: "replaced" as const }),
  });
}

/** The roster without what only a workspace opened elsewhere adds to an open deny-list: that can narrow, never widen. */
function settledForm(roster: ToolRoster, parent: ParentView, spec: ChildSpec): RosterForm {
  if (roster.offered) return { offered: roster.offered };
  const own = new Set([...(spec.roster?.hidden ?? []), ...(parent.alwaysHidden ?? [])]);
  return { hidden: roster.hidden.filter((name) => own.has(name)) };
}

function refOf(model: ModelRef | undefined): ModelRef | undefined {
  return model && { provider: model.provider, id: model.id };
}
