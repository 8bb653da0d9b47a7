import { DeadlineError, systemClock, withDeadline, type Clock } from "@basis/core";
import type { ChildAnswer, ChildContext, ChildPolicy } from "./child-context.ts";
import { planChild, type ChildPlan } from "./child-plan.ts";
import { ChildPolicyError } from "./child-policy-error.ts";
import { ChildSpec } from "./child-spec.ts";
import type { ParentView, WidenMode } from "./effective-roster.ts";
import { frozenData } from "./frozen-data.ts";
import { resolveModel, type ModelDirectory } from "./model-directory.ts";

/** What deciding one delegation needs. */
export interface ResolveChildOptions {
  /** Absent: every child inherits. */
  readonly policy?: ChildPolicy | undefined;
  readonly context: ChildContext;
  readonly parent: ParentView;
  /** Default `allow`. */
  readonly widen?: WidenMode | undefined;
  /** Absent: models are taken as the spec names them. */
  readonly models?: ModelDirectory | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the policy may take. Default 5,000; `Infinity` waits for ever. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Asks the policy once and answers the plan that is previewed, approved and spawned. Never falls back to inheriting.
 *
 * @throws ChildPolicyError `policy_refused`, `policy_failed`, `roster_wider`, `unregistered_provider`, `invalid_option`;
 * the signal's reason when it aborts.
 */
export async function resolveChild(options: ResolveChildOptions): Promise<ChildPlan> {
  const { widen, models, signal, clock } = options;
  signal?.throwIfAborted();
  // As they are now: neither the policy nor anybody else changes what the child is measured against.
  const parent = frozenData(options.parent);
  const spec = options.policy === undefined ? ChildSpec.inherit() : await consult(options.policy, options);
  if (spec.model === undefined || models === undefined) return planChild(parent, spec, { widen });
  const model = await resolveModel(spec.model, models, { signal, clock });
  return planChild(parent, spec.withModel(model), { widen });
}

async function consult(policy: ChildPolicy, options: ResolveChildOptions): Promise<ChildSpec> {
  const { signal, clock = systemClock } = options;
  const timeoutMs = patience(options.timeoutMs);
  const context = frozenData(options.context);
  let answer: ChildSpec | string | undefined;
  try {
    answer = readAnswer(await withDeadline({ timeoutMs, signal, clock }, (inner) => policy(context, inner)));
  } catch (cause) {
    signal?.throwIfAborted();
    const late = cause instanceof DeadlineError;
    throw failed(late ? "timeout" : "threw", late ? `took longer than ${timeoutMs}ms` : "failed", cause);
  }
  if (answer === undefined) throw failed("nonsense", "answered neither a ChildSpec nor {refuse}", undefined);
  if (typeof answer !== "string") return answer;
  const reason = answer.trim() === "" ? "no reason was given" : answer;
  throw new ChildPolicyError("policy_refused", `the child policy refused this delegation: ${reason}`, {
    details: { reason },
  });
}

/** The spec, or the reason of a refusal; undefined for anything else. */
function readAnswer(answer: ChildAnswer | undefined): ChildSpec | string | undefined {
  if (ChildSpec.is(answer)) return answer;
  const refusal: unknown = answer?.refuse;
  return typeof refusal === "string" ? refusal : undefined;
}

function patience(timeoutMs: number = 5000): number {
  if (timeoutMs > 0) return timeoutMs;
  throw new ChildPolicyError("invalid_option", "the policy's timeoutMs must be above 0", {
    details: { option: "timeoutMs", problem: "must be above 0" },
  });
}

function failed(
  failure: "threw" | "timeout" | "nonsense",
  what: string,
  cause: unknown,
): ChildPolicyError<"policy_failed"> {
  return new ChildPolicyError("policy_failed", `the delegation is refused: the child policy ${what}`, {
    details: { failure },
    cause,
  });
}
