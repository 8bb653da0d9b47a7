import type { ChildAnswer, ChildContext, ChildPolicy } from "../child-context.ts";
import { previewOf, type ChildPreview } from "../child-plan.ts";
import { ChildSpec } from "../child-spec.ts";
import { ToolRoster } from "../tool-roster.ts";

/** A policy that may have no opinion. */
export type PartialPolicy = (
  context: ChildContext,
  options: { readonly signal: AbortSignal },
) => ChildAnswer | undefined | Promise<ChildAnswer | undefined>;

/** The answer of the first policy that has one; the child inherits when none has. A policy that throws refuses. */
export function firstMatch(...policies: readonly PartialPolicy[]): ChildPolicy {
  return async (context, options) => {
    for (const policy of policies) {
      options.signal.throwIfAborted();
      const answer = await policy(context, options);
      if (answer !== undefined) return answer;
    }
    return ChildSpec.inherit();
  };
}

/** A policy for some delegations only. */
export function when(matches: (context: ChildContext) => boolean, policy: PartialPolicy): PartialPolicy {
  return (context, options) => (matches(context) ? policy(context, options) : undefined);
}

/** The same policy, but a roster it sets never offers what the parent lacks. */
export function narrowOnly(policy: ChildPolicy): ChildPolicy {
  return async (context, options) => {
    const answer = await policy(context, options);
    if (!ChildSpec.is(answer) || answer.roster === undefined) return answer;
    return answer.withRoster(ToolRoster.only(context.parentTools).intersect(answer.roster));
  };
}

/** What an answer comes to, without any system text, so that it may be logged. */
export type ShownAnswer =
  | { readonly preview: ChildPreview | undefined }
  | { readonly refuse: string }
  | { readonly failure: unknown };

/** What a candidate would have answered beside what was answered. */
export interface ShadowReport {
  readonly parentAgentId: string;
  readonly depth: number;
  readonly answered: ShownAnswer;
  readonly candidate: ShownAnswer;
}

/**
 * Answers as `policy` does, and reports what `candidate` would have said.
 * The candidate decides nothing and delays nothing; a report that throws is ignored.
 */
export function shadow(
  policy: ChildPolicy,
  candidate: ChildPolicy,
  report: (report: ShadowReport) => void,
): ChildPolicy {
  return (context, options) => {
    const answer = answerOf(policy, context, options);
    const { parentAgentId, depth } = context;
    void Promise.all([show(answer), show(answerOf(candidate, context, options))])
      .then(([answered, tried]) => report({ parentAgentId, depth, answered, candidate: tried }))
      .catch(() => undefined);
    return answer;
  };
}

async function answerOf(
  policy: ChildPolicy,
  context: ChildContext,
  options: { readonly signal: AbortSignal },
): Promise<ChildAnswer> {
  return policy(context, options);
}

async function show(answer: Promise<ChildAnswer>): Promise<ShownAnswer> {
  try {
    const settled = await answer;
    return ChildSpec.is(settled) ? { preview: previewOf(settled) } : { refuse: settled.refuse };
  } catch (failure) {
    return { failure };
  }
}
