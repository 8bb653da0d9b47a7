import type { ApprovalRecord, ApprovalStore, ResolveResult, RuleScope } from "@basis/approval";
import type { HostState } from "../store/open-state.ts";
import { approvalLines, viewApproval, type ApprovalView } from "./approval-view.ts";
import { personBehind, type Consent } from "./person.ts";
import { rememberedQuestion, type RememberedCall } from "./remembered-call.ts";

/** A person's answer to a question. */
export interface ApprovalAnswer {
  /** Whole, or as many of its last characters as name one. */
  readonly id: string;
  readonly decision: "allow" | "deny";
  readonly reason?: string | undefined;
  readonly remember?:
    | {
        readonly scope: RuleScope;
        readonly words?: number | undefined;
        readonly forMs?: number | undefined;
      }
    | undefined;
  readonly person: Omit<Consent, "what" | "lines" | "question">;
}

/** What came of it, in lines to print. */
export interface AnsweredApproval {
  readonly view: ApprovalView;
  /** The ids of the rules that were kept. */
  readonly rules: readonly string[];
  readonly lines: readonly string[];
}

/** An answer that was not taken: nothing was changed. */
export class ApprovalRefusal extends Error {
  override readonly name = "ApprovalRefusal";
}

/** An answer that stands although what was to be remembered with it could not be kept; `cause` says why. */
export class UnkeptRuleError extends Error {
  override readonly name = "UnkeptRuleError";

  constructor(done: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${done}: the answer stands, but not every rule of it was kept; see 'basis rules list': ${why}`, {
      cause,
    });
  }
}

/** Fewest characters that may stand for an id. */
const MIN_ENDING = 4;

/**
 * The question of that id.
 *
 * @throws ApprovalRefusal when there is none, or more than one ends so.
 */
export async function findApproval(approvals: ApprovalStore, id: string): Promise<ApprovalRecord> {
  const exact = await approvals.get(id);
  if (exact !== undefined) return exact;
  const found = (await approvals.list()).filter(({ approvalId }) => approvalId.endsWith(id));
  if (id.length < MIN_ENDING || found.length === 0)
    throw new ApprovalRefusal(`there is no approval '${id}'; see 'basis approvals list --all'`);
  if (found.length > 1) throw new ApprovalRefusal(`several approvals end with '${id}'; give more of it`);
  return found[0]!;
}

/**
 * Shows the question, makes sure that a person answers it, and records the answer; the rule after it, so that an answer
 * that came too late leaves none.
 *
 * @throws ApprovalRefusal for a question that takes no answer any more, or when the person says no.
 * @throws UnkeptRuleError when the answer is recorded and its rules are not.
 * @throws StartError `trust`
 */
export async function answerApproval(state: HostState, answer: ApprovalAnswer): Promise<AnsweredApproval> {
  const { store, ledger } = state;
  const { decision, reason, remember, person } = answer;
  const record = await findApproval(ledger.approvals, answer.id);
  const { approvalId } = record;
  const view = await viewApproval(store, record, Date.now());
  if (view.state !== "open") throw new ApprovalRefusal(`${approvalId} ${whyClosed(view)}`);
  const remembered =
    remember &&
    (await rememberedQuestion(record, { ...remember, effect: decision, reason, ...until(remember.forMs) }));
  const by = await personBehind({
    ...person,
    what: `approvals ${decision}`,
    lines: [...approvalLines(view), ...(remembered ? ruleLines(remembered, remember.scope) : []), ""],
    question: decision === "allow" ? "Allow this call?" : "Refuse this call?",
  });
  if (by === undefined) throw new ApprovalRefusal("nothing was changed");
  const resolution = { decision, by, at: Date.now(), ...(reason === undefined ? {} : { reason }) };
  const result = await ledger.approvals.resolve(approvalId, resolution);
  if (!result.ok)
    throw new ApprovalRefusal(`${approvalId} ${closedWords[result.problem]}; nothing was changed`);
  const kept = keepRules(state, remembered, person.tokenFile !== undefined);
  const { rules, lines } = await kept.catch((error: unknown) => {
    throw new UnkeptRuleError(`${doneWords[decision]} ${approvalId}`, error);
  });
  return { view, rules, lines: [`${doneWords[decision]} ${approvalId}`, ...lines] };
}

const doneWords = { allow: "allowed", deny: "denied" };

/** Keeps the rules. Whoever was shown no question is told here what they decide. */
async function keepRules(
  { ledger }: HostState,
  remembered: RememberedCall | undefined,
  isUnseen: boolean,
): Promise<Pick<AnsweredApproval, "rules" | "lines">> {
  if (remembered === undefined) return { rules: [], lines: [] };
  const rules: string[] = [];
  for (const rule of remembered.rules) rules.push((await ledger.rules.add(rule)).id);
  const kept = rules.map((id) => `kept as rule ${id}; forget it with: basis rules revoke ${id}`);
  return { rules, lines: isUnseen ? [...kept, ...remembered.inWords] : kept };
}

function until(forMs: number | undefined): { readonly expiresAt?: number } {
  return forMs === undefined ? {} : { expiresAt: Date.now() + forMs };
}

function ruleLines({ inWords }: RememberedCall, scope: RuleScope): readonly string[] {
  return [`and keeps a rule, scope ${scope}:`, ...inWords];
}

const closedWords: Readonly<Record<Exclude<ResolveResult, { ok: true }>["problem"], string>> = {
  unknown: "is not there any more",
  expired: "expired before it was answered",
  resolved: "was answered meanwhile",
  redeemed: "was answered and used meanwhile",
};

function whyClosed({ state, answered_by: by }: ApprovalView): string {
  switch (state) {
    case "expired":
      return "has expired; its call is denied when the session goes on";
    case "redeemed":
      return `was used: its call has run${by === null ? "" : `, allowed by ${by}`}`;
    default:
      return `was answered already: ${state}${by === null ? "" : ` by ${by}`}`;
  }
}
