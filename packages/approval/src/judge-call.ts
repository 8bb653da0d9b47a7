import { canonicalJson } from "@basis/core";
import type { ApprovalSubject } from "./approval-request.ts";
import type { ApproverAnswer } from "./approver.ts";
import { approverName, askApprover } from "./ask-approver.ts";
import { deny, type AuthorizeOutcome } from "./authorize-outcome.ts";
import { consultRules, rememberRule, ruleName, type RuleVerdict } from "./consult-rules.ts";
import type { EditRounds } from "./edit-rounds.ts";
import type { GateSettings } from "./gate-options.ts";
import type { GrantLedger, Judgement } from "./grant-ledger.ts";
import { narrowestRule } from "./narrowest-rule.ts";
import { consultParked, parkApproval } from "./parked-approvals.ts";
import { whenThere, type MaybePromise, type StorePatience } from "./store-patience.ts";

/** How often an approver may edit one call before it is denied. */
const MAX_EDIT_ROUNDS = 3;

/** A gate's settings and what it remembers of calls in flight. */
export interface GateState extends GateSettings {
  readonly grants: GrantLedger;
  readonly edits: EditRounds;
}

/** What waiting for the gate's stores needs. */
export type GatePatience = StorePatience & Pick<GateSettings, "tools" | "commands" | "parkTtlMs">;

/** One call on its way through the gate. */
export interface Passage {
  readonly gate: GateState;
  readonly subject: ApprovalSubject;
  readonly judgement: Judgement;
  readonly patience: GatePatience;
  readonly parking: "park" | "deny";
}

/** Judges a call: deny rules, an earlier question about it, its level, allow rules, an edit come back, the approver. */
export function judgeCall(passage: Passage): MaybePromise<AuthorizeOutcome> {
  const { gate, subject, patience } = passage;
  return whenThere(consultRules(gate.rules, subject, patience), (ruled) => judgeRuled(passage, ruled));
}

function judgeRuled(passage: Passage, ruled: RuleVerdict): MaybePromise<AuthorizeOutcome> {
  const { gate, subject, patience } = passage;
  if (ruled?.decision === "deny") return ruled;
  if (subject.sideEffectLevel === "none") return allow(passage, { by: "its level: it changes nothing" });
  return whenThere(consultParked(gate.store, subject, patience), (parked) => {
    if (parked !== undefined) return parked;
    if (ruled?.decision !== "allow") return settleEdit(passage) ?? askAnew(passage);
    return allow(passage, { by: ruleName(ruled.rule), ruleId: ruled.rule.id });
  });
}

function askAnew(passage: Passage): MaybePromise<AuthorizeOutcome> {
  return passage.gate.onAsk === "park" ? park(passage) : ask(passage);
}

/** What follows from an approver's earlier edit of this call; undefined when the approver has to be asked (again). */
function settleEdit(passage: Passage): MaybePromise<AuthorizeOutcome> | undefined {
  const returned = passage.gate.edits.comeBack(passage.subject);
  if (returned === undefined) return undefined;
  const { by, remember, rounds } = returned.edit;
  if (returned.state === "settled") return remember ? allowForSession(passage, by) : allow(passage, { by });
  if (rounds < MAX_EDIT_ROUNDS) return undefined;
  const reason = `the approver's edits and the hooks did not settle in ${MAX_EDIT_ROUNDS} rounds`;
  return deny(reason, { by: "the approval gate" });
}

function ask(passage: Passage): MaybePromise<AuthorizeOutcome> {
  const { gate, subject, patience } = passage;
  const { approver, approverTimeoutMs: timeoutMs, clock } = gate;
  const { signal } = patience;
  return whenThere(askApprover(subject, { approver, timeoutMs, clock, signal }), (asked) =>
    asked.answered ? follow(passage, asked.answer) : asked.denial,
  );
}

function follow(passage: Passage, answer: ApproverAnswer): MaybePromise<AuthorizeOutcome> {
  if (answer.decision === "park") return park(passage);
  if (answer.decision === "allow" || answer.decision === "allow_for_session")
    return followAllow(passage, answer);
  const reason = answer.reason ?? "the approver refused this call";
  if (answer.decision === "deny_for_session") return denyForSession(passage, reason);
  return deny(reason, { by: approverName(passage.gate.approver) });
}

function followAllow(
  passage: Passage,
  answer: Extract<ApproverAnswer, { input?: unknown }>,
): MaybePromise<AuthorizeOutcome> {
  const by = approverName(passage.gate.approver);
  const remember = answer.decision === "allow_for_session";
  const { input } = answer;
  if (input === undefined || canonicalJson(input) === canonicalJson(passage.subject.input)) {
    return remember ? allowForSession(passage, by) : allow(passage, { by });
  }
  const { rounds } = passage.gate.edits.begin(passage.subject, { input, by, remember });
  return { decision: "edited", input, round: rounds, by };
}

function park({ gate, subject, patience, parking }: Passage): MaybePromise<AuthorizeOutcome> {
  if (parking === "deny")
    return deny("it needs an approval, and nobody can be asked", { by: "the approval gate" });
  return parkApproval(gate.store, subject, patience);
}

function allow(passage: Passage, facts: { by: string; ruleId?: string }): AuthorizeOutcome {
  const { gate, subject, judgement } = passage;
  const expiresAt = gate.grants.grant(judgement, subject.digest);
  if (expiresAt === undefined) {
    return deny("the same call was put to the gate again meanwhile", { by: "the approval gate" });
  }
  return { decision: "allow", digest: subject.digest, expiresAt, ...facts };
}

async function allowForSession(passage: Passage, by: string): Promise<AuthorizeOutcome> {
  const { gate, subject, patience } = passage;
  const { rule } = narrowestRule(subject, { tools: gate.tools });
  return (await rememberRule(gate.rules, rule, patience)) ?? allow(passage, { by });
}

async function denyForSession(passage: Passage, reason: string): Promise<AuthorizeOutcome> {
  const { gate, subject, patience } = passage;
  const { rule } = narrowestRule(subject, { effect: "deny", reason, tools: gate.tools });
  const failed = await rememberRule(gate.rules, rule, patience);
  return failed ?? deny(reason, { by: approverName(gate.approver), remembered: true });
}
