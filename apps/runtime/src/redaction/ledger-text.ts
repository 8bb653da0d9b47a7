import type { ApprovalRecord, ApprovalResolution, StoredRule } from "@basis/approval";
import { isLive } from "@basis/approval/store";
import { isJsonObject, type JsonValue } from "@basis/core";
import { isCallOf } from "./event-text.ts";
import { cleanText, cleanValue, REDACTED, withTexts } from "./texts.ts";

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
  const cleaned = { ...cleanFields(record, forms), ...cleanAnswer(record.resolution, forms) };
  if (!isWhole && Object.keys(cleaned).length === 0) return undefined;
  const next: Record<string, unknown> = { ...record, ...cleaned };
  if (isWhole) for (const field of fields) delete next[field];
  if (isWhole) next["input"] = REDACTED;
  next["digest"] = "redacted";
  if ((record.state === "open" || record.state === "allowed") && isLive(record, at)) {
    next["state"] = "denied";
    next["resolution"] = { decision: "deny", by: BY, reason: "what it asked for was redacted", at };
  }
  return next as unknown as ApprovalRecord;
}

/** The fields that change. */
function cleanFields(record: ApprovalRecord, forms: readonly string[]): Partial<ApprovalRecord> {
  const changed = fields.flatMap((field) => {
    const value = record[field];
    const cleaned = value === undefined ? value : cleanValue(value, forms);
    return cleaned === value ? [] : [[field, cleaned] as const];
  });
  return Object.fromEntries(changed);
}

/** The answer when it changes: who gave it and why are said, the rest are words of its own. */
function cleanAnswer(
  resolution: ApprovalResolution | undefined,
  forms: readonly string[],
): Pick<ApprovalRecord, "resolution"> {
  if (resolution === undefined) return {};
  const { by, reason } = resolution;
  const said = { by, ...(reason !== undefined && { reason }) };
  const cleaned = withTexts(said, /^$/, (text) => cleanText(text, forms));
  return cleaned === said ? {} : { resolution: { ...resolution, ...(cleaned as typeof said) } };
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
  const isIn = (value: JsonValue): boolean => cleanValue(value, forms) !== value;
  const narrowed = narrowing.filter((field) => isIn(spokenIn(rule[field] as JsonValue | undefined)));
  const { toolName, reason = "" } = rule;
  if (narrowed.length === 0 && !isIn([toolName, reason])) return undefined;
  if (isRevoked || rule.effect === "allow") return "forget";
  const next: Record<string, unknown> = { ...rule };
  for (const field of narrowed) delete next[field];
  if (rule.reason !== undefined) next["reason"] = cleanText(rule.reason, forms);
  return next as unknown as StoredRule;
}

/** What a pattern, or another field of a rule, holds of calls, without the words and names that it is made of. */
function spokenIn(value: JsonValue | undefined): JsonValue[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(spokenIn);
  if (!isJsonObject(value)) return [value];
  return Object.entries(value).flatMap(([field, member]) => {
    if (field === "exact" || field === "equals") return [member];
    return field === "rest" && (member === "any" || member === "none") ? [] : spokenIn(member);
  });
}

/** True when a rule lost what made it hold for fewer calls. */
export function isWidened(rule: StoredRule, next: StoredRule): boolean {
  return narrowing.some((field) => rule[field] !== undefined && next[field] === undefined);
}
