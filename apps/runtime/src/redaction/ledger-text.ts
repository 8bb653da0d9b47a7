import type { ApprovalRecord, StoredRule } from "@basis/approval";
import { isLive } from "@basis/approval/store";
import type { JsonValue } from "@basis/core";
import { isCallOf } from "./event-text.ts";
import { cleanValue, REDACTED } from "./texts.ts";

/** What is to go out of what the host keeps beside transcripts. */
export interface LedgerRedaction {
  /** As `formsOf` answers them. */
  readonly forms: readonly string[];
  /** Every message that is redacted. */
  readonly messageIds: readonly string[];
  /** Those of them that are redacted as a whole. */
  readonly wholeIds: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Who answers a question whose call was redacted. */
const BY = "redaction";

/** Fields of an approval that say what the call is, not which. */
const fields = ["input", "preview", "evidence", "binding", "cwd"] as const;

/**
 * An approval without what goes; undefined when nothing does. Its digest would tell a guessed text right, and a call
 * that is no longer what was approved must not run: a live question or permission is denied by it.
 */
export function approvalWithout(
  record: ApprovalRecord,
  redaction: LedgerRedaction,
): ApprovalRecord | undefined {
  const { forms, wholeIds, at } = redaction;
  const isWhole = isCallOf(record.callKey, wholeIds) && record.input !== REDACTED;
  let found = isWhole;
  const next: Record<string, unknown> = { ...record };
  for (const field of [...fields, "resolution"] as const) {
    const value = record[field] as JsonValue | undefined;
    if (value === undefined) continue;
    next[field] = cleanValue(value, forms);
    found ||= next[field] !== value;
  }
  if (!found) return undefined;
  if (isWhole) for (const field of fields) delete next[field];
  if (isWhole) next["input"] = REDACTED;
  next["digest"] = "redacted";
  if ((record.state === "open" || record.state === "allowed") && isLive(record, at)) {
    next["state"] = "denied";
    next["resolution"] = { decision: "deny", by: BY, reason: "what it asked for was redacted", at };
  }
  return next as unknown as ApprovalRecord;
}

/** What makes a rule hold for fewer calls. */
const narrowing = ["pattern", "agent", "within", "toolIdentity"] as const;

/**
 * What becomes of a rule that holds a text: an allow is forgotten, and so is what was revoked; a denial stays and loses
 * what it held the text in, so that it denies more calls of its tool, rather than fewer. Undefined when it holds none.
 */
export function ruleWithout(
  rule: StoredRule,
  { forms, isRevoked }: { readonly forms: readonly string[]; readonly isRevoked: boolean },
): StoredRule | "forget" | undefined {
  const isIn = (value: unknown): boolean =>
    value !== undefined && cleanValue(value as JsonValue, forms) !== (value as JsonValue);
  if (!isIn(rule)) return undefined;
  if (isRevoked || rule.effect === "allow") return "forget";
  const { reason } = rule;
  const next: Record<string, unknown> = { ...rule };
  for (const field of narrowing) if (isIn(rule[field])) delete next[field];
  if (reason !== undefined) next["reason"] = cleanValue(reason, forms);
  return next as unknown as StoredRule;
}

/** True when a rule lost what made it hold for fewer calls. */
export function isWidened(rule: StoredRule, next: StoredRule): boolean {
  return narrowing.some((field) => rule[field] !== undefined && next[field] === undefined);
}
