import type { Abortable } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";
import { describeRequest, type ApprovalRequest, type ApprovalSubject } from "./approval-request.ts";
import type { SyncApprovalStore } from "./approval-store.ts";
import { denyFailed, type AuthorizeOutcome, type DenyOutcome } from "./authorize-outcome.ts";
import { consultRules } from "./consult-rules.ts";
import { createEditRounds } from "./edit-rounds.ts";
import { gateSettings, type ApprovalGateOptions } from "./gate-options.ts";
import { createGrantLedger } from "./grant-ledger.ts";
import { judgeCall, type GatePatience, type GateState } from "./judge-call.ts";
import {
  redeemCall,
  redeemCallSync,
  type RedeemCall,
  type RedeemStore,
  type SyncRedeemStore,
} from "./redeem-approval.ts";
import { checkRule, type ApprovalRule, type StoredRule } from "./rule.ts";
import { isThenable, settleSoon } from "./store-patience.ts";

/** What may stop a gate's work. */
export interface GateCallOptions {
  readonly signal?: Abortable | undefined;
}

/** What a judgement may come to. */
export interface AuthorizeOptions extends GateCallOptions {
  /** `deny`: a question that would be parked is a denial, for a call that nobody can be asked about any more. Default `park`. */
  readonly parking?: "park" | "deny" | undefined;
}

/** Decides about calls, and lets exactly the decided ones through. */
export interface ApprovalGate {
  /**
   * Judges a call. In order: deny rules, an earlier parked question, the level (`none` is never asked), allow rules,
   * an approver's edit come back, the approver. Whatever fails to judge denies. Rejects only with the signal's reason.
   * Earlier allows of the same call key are void from here on, and so is what an earlier judgement still under way comes to.
   */
  authorize(request: ApprovalRequest, options?: AuthorizeOptions): Promise<AuthorizeOutcome>;
  /**
   * For a call that was allowed, has begun and goes on after a wait: what a deny rule says of it by now, or a rule store that
   * does not answer. Undefined when it may go on. Nobody is asked, and nothing is granted or voided.
   * Rejects only with the signal's reason.
   */
  denyRunning(request: ApprovalRequest, options?: GateCallOptions): Promise<DenyOutcome | undefined>;
  /**
   * Uses an allow up, just before executing. `store` may be a view of the approval store on the host's open
   * transaction, so that using up a parked approval and recording the intent are one commit.
   *
   * @throws ApprovalError `stale_approval` unless this call was allowed with this digest, lately, and is not yet redeemed;
   * `store_failed` when the store did not answer.
   */
  redeem(
    call: RedeemCall,
    options?: GateCallOptions & { readonly store?: RedeemStore | undefined },
  ): Promise<void>;
  /** `redeem` for a transaction that cannot await; `async_store` when the store answers with a promise. */
  redeemSync(call: RedeemCall, options?: { readonly store?: SyncRedeemStore | undefined }): void;
  /**
   * Keeps a rule.
   *
   * @throws ApprovalError `invalid_rule` or `command_wildcard`; what the store throws.
   */
  remember(rule: ApprovalRule, options?: GateCallOptions): Promise<StoredRule>;
}

/**
 * Makes a gate to stand between a final tool input and its execution.
 *
 * @throws ApprovalError `invalid_option`, `invalid_rule`, `command_wildcard`.
 */
export function createApprovalGate(options: ApprovalGateOptions): ApprovalGate {
  const settings = gateSettings(options);
  const { clock, grantTtlMs, parkTtlMs, storeTimeoutMs, tools, commands, store: ownStore } = settings;
  const patienceUnder = (signal: Abortable | undefined): GatePatience => ({
    clock,
    storeTimeoutMs,
    tools,
    commands,
    parkTtlMs,
    signal,
  });
  const gate: GateState = {
    ...settings,
    grants: createGrantLedger(grantTtlMs, clock),
    edits: createEditRounds(parkTtlMs, () => clock.now()),
  };
  return Object.freeze({
    async authorize(request, { signal, parking = "park" } = {}) {
      signal?.throwIfAborted();
      const subject = describeOrDeny(request);
      if ("decision" in subject) return subject;
      const judgement = gate.grants.open(subject.callKey);
      try {
        const judged = judgeCall({ gate, subject, judgement, patience: patienceUnder(signal), parking });
        const outcome = isThenable(judged) ? await judged : judged;
        if (outcome.decision !== "edited") gate.edits.end(subject.callKey);
        return outcome;
      } finally {
        gate.grants.close(judgement);
      }
    },
    async denyRunning(request, { signal } = {}) {
      signal?.throwIfAborted();
      const subject = describeOrDeny(request);
      if ("decision" in subject) return subject;
      const ruled = await consultRules(settings.rules, subject, patienceUnder(signal));
      return ruled?.decision === "deny" ? ruled : undefined;
    },
    redeem: (call, { signal, store = ownStore } = {}) =>
      redeemCall(call, store, { ...patienceUnder(signal), grants: gate.grants }),
    redeemSync: (call, { store = ownStore as SyncApprovalStore } = {}) => redeemCallSync(call, store, gate),
    async remember(rule, { signal } = {}) {
      signal?.throwIfAborted();
      checkRule(rule, tools);
      return settleSoon(() => settings.rules.add(rule), patienceUnder(signal));
    },
  } satisfies ApprovalGate);
}

/** A call that cannot be described cannot be shown or bound: it is denied and nobody is asked. */
function describeOrDeny(request: ApprovalRequest): ApprovalSubject | DenyOutcome {
  try {
    return describeRequest(request);
  } catch (cause) {
    return denyFailed("the approval gate", ApprovalError.is(cause) ? cause.message : "it failed", cause);
  }
}
