import type { JsonValue } from "@basis/core";

/**
 * What the gate answers.
 * - `allow`: redeem `digest` just before executing
 * - `edited`: nothing is allowed yet. The approver put another input in place: run it through hooks, validation,
 *   floors and plan, and authorize what they leave under the same call key
 * - `deny`: `text` is for the model, `reason` and `by` for people, `failure` for the log only
 * - `parked`: the question waits in the approval store
 */
export type AuthorizeOutcome =
  | {
      readonly decision: "allow";
      readonly digest: string;
      /** Milliseconds since the epoch; an allow not redeemed by then is stale. */
      readonly expiresAt: number;
      readonly by: string;
      readonly ruleId?: string;
      readonly approvalId?: string;
    }
  | { readonly decision: "edited"; readonly input: JsonValue; readonly round: number; readonly by: string }
  | DenyOutcome
  | {
      readonly decision: "parked";
      readonly approvalId: string;
      readonly digest: string;
      readonly expiresAt: number;
    };

/** A denial. `cause` of a failure may quote anything: never show it to a model. */
export interface DenyOutcome {
  readonly decision: "deny";
  readonly reason: string;
  readonly by: string;
  /** What the model reads. */
  readonly text: string;
  readonly ruleId?: string;
  readonly approvalId?: string;
  readonly failure?: { readonly who: string; readonly cause: unknown };
}

/** What a denial may add to its reason. */
interface DenyFacts {
  readonly by: string;
  readonly remembered?: boolean;
  readonly ruleId?: string;
  readonly approvalId?: string;
  readonly failure?: { readonly who: string; readonly cause: unknown };
}

/** Builds a denial with the text that the model reads. */
export function deny(reason: string, facts: DenyFacts): DenyOutcome {
  const { remembered = false, ...rest } = facts;
  const text = `Tool execution denied: ${reason}`;
  const suffix = ". This refusal is remembered: asking again will not change it.";
  return { decision: "deny", reason, text: remembered ? text.replace(/\.?$/, suffix) : text, ...rest };
}

/** Denies because something that should have judged the call could not: names it, and what went wrong in a word. */
export function denyFailed(who: string, what: string, cause: unknown): DenyOutcome {
  return deny(`${who} could not answer: ${what}`, { by: who, failure: { who, cause } });
}
