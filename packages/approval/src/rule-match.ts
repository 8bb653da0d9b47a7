import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { openCall, type OpenedCall, type RuleMoment, type RuleSubject } from "./opened-call.ts";
import { hasDotSegment } from "./path-reading.ts";
import {
  commandPatternOf,
  isOneCall,
  type ApprovalRule,
  type FieldPattern,
  type RulePattern,
} from "./rule.ts";
import { hasWildcard, matchesWildcard } from "./wildcard.ts";

/**
 * True when a rule alone holds for a call. What cannot be evaluated never allows and always denies.
 * A deny asks less of the call than an allow: fields it does not mention are ignored,
 * and a changed tool identity does not lift it.
 */
export function ruleApplies(rule: ApprovalRule, call: RuleSubject, moment: RuleMoment): boolean {
  const opened = openCall(call, moment);
  return ruleHolds(rule, opened) && patternApplies(rule, opened);
}

/** True when a rule speaks of this tool, agent, place and moment, whatever its pattern says. */
export function ruleHolds(rule: ApprovalRule, { call, nowMs }: OpenedCall): boolean {
  if (rule.toolName !== call.toolName) return false;
  if (rule.agent !== undefined && rule.agent !== call.agentId) return false;
  if (isExpired(rule, nowMs) || !holdsHere(rule, call)) return false;
  return (
    rule.effect !== "allow" || rule.toolIdentity === undefined || rule.toolIdentity === call.toolIdentity
  );
}

/** True when the pattern of a rule that holds matches. */
export function patternApplies(rule: ApprovalRule, opened: OpenedCall): boolean {
  const deny = rule.effect !== "allow";
  try {
    return deny ? deniesCall(rule, opened) : allowsCall(rule, opened);
  } catch {
    return deny;
  }
}

function isExpired(rule: ApprovalRule, nowMs: number): boolean {
  if (rule.expiresAt === undefined) return false;
  return rule.effect === "allow" ? !(nowMs < rule.expiresAt) : nowMs >= rule.expiresAt;
}

function holdsHere(rule: ApprovalRule, call: RuleSubject): boolean {
  if (rule.within === undefined || rule.scope === "process" || rule.scope === "global") return true;
  const here = rule.scope === "session" ? call.sessionId : call.workspace;
  return here === undefined ? rule.effect !== "allow" : rule.within === here;
}

function allowsCall(rule: ApprovalRule, opened: OpenedCall): boolean {
  const { pattern } = rule;
  const command = commandPatternOf(rule);
  if (command !== undefined) {
    return opened.isCommand && opened.command()?.coveredBy([command]) !== undefined;
  }
  return allowsSubject(pattern, opened) && (!opened.isCommand || isOneCall(pattern));
}

function allowsSubject(pattern: RulePattern | undefined, opened: OpenedCall): boolean {
  if (pattern === undefined) return true;
  if (typeof pattern === "string") {
    return opened.tools.wholeText.includes(opened.call.toolName) && matchesWildcard(pattern, opened.text());
  }
  if ("exact" in pattern) return isExactly(pattern.exact, opened);
  return "fields" in pattern && allowsFields(pattern.fields, opened.subject);
}

function allowsFields(fields: Readonly<Record<string, FieldPattern>>, subject: JsonValue): boolean {
  if (!isJsonObject(subject)) return false;
  let mentioned = 0;
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(subject, name) || !allowsField(fields[name]!, subject[name]!)) return false;
    mentioned += 1;
  }
  return mentioned === Object.keys(subject).length;
}

function deniesCall(rule: ApprovalRule, opened: OpenedCall): boolean {
  const { pattern } = rule;
  const { subject } = opened;
  if (pattern === undefined) return true;
  const command = commandPatternOf(rule);
  if (command !== undefined) return opened.isCommand && (opened.command()?.mayMatch(command) ?? true);
  if (typeof pattern === "string") return matchesWildcard(pattern, opened.text());
  if ("exact" in pattern) return isExactly(pattern.exact, opened);
  if (!("fields" in pattern) || !isJsonObject(subject)) return true;
  return Object.entries(pattern.fields).every(([name, field]) => deniesField(field, name, opened));
}

function allowsField(pattern: FieldPattern, value: JsonValue): boolean {
  if (typeof pattern !== "string") return sameJson(pattern.equals, value);
  if (typeof value !== "string") return false;
  if (pattern === "*") return true;
  return matchesWildcard(pattern, value) && !(hasWildcard(pattern) && hasDotSegment(value));
}

function deniesField(pattern: FieldPattern, name: string, opened: OpenedCall): boolean {
  const subject = opened.subject as JsonObject;
  if (!Object.hasOwn(subject, name)) return false;
  const value = subject[name]!;
  if (typeof pattern !== "string") return sameJson(pattern.equals, value);
  if (typeof value !== "string") return true;
  const { spelled, lowerCase } = opened.readings(value);
  return (
    spelled.some((reading) => matchesWildcard(pattern, reading)) ||
    matchesWildcard(foldedPattern(pattern), lowerCase)
  );
}

const KEPT_PATTERNS = 4096;
const foldedPatterns = new Map<string, string>();

/** A pattern without capitals and look-alikes; folding costs more than matching, so it is kept. */
export function foldedPattern(pattern: string): string {
  const folded = foldedPatterns.get(pattern) ?? pattern.normalize("NFKC").toLowerCase();
  if (foldedPatterns.size >= KEPT_PATTERNS) foldedPatterns.clear();
  foldedPatterns.set(pattern, folded);
  return folded;
}

/** Compares sizes first: almost every rule of a long list is told apart without its canonical form. */
function isExactly(exact: JsonValue, opened: OpenedCall): boolean {
  return sameShape(exact, opened.subject) && canonicalJson(exact) === opened.text();
}

function sameShape(left: JsonValue, right: JsonValue): boolean {
  if (typeof left !== "object" || typeof right !== "object") return typeof left === typeof right;
  if (!isJsonObject(left) || !isJsonObject(right)) return isJsonObject(left) === isJsonObject(right);
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    if (!Object.hasOwn(right, name)) return false;
    const [one, other] = [left[name], right[name]];
    return typeof one === "string" || typeof other === "string" ? one === other : true;
  });
}

function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (typeof left === "string" || typeof right === "string") return left === right;
  return canonicalJson(left) === canonicalJson(right);
}
