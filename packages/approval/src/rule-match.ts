import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { ruleText, type ApprovalSubject } from "./approval-request.ts";
import { hasDotSegment, pathReadings } from "./path-reading.ts";
import { defaultRuleTools, isOneCall, type ApprovalRule, type FieldPattern, type RuleTools } from "./rule.ts";
import { hasWildcard, matchesWildcard } from "./wildcard.ts";

/** What rules look at in a call. */
export type RuleSubject = Pick<
  ApprovalSubject,
  "agentId" | "toolName" | "input" | "preview" | "effect" | "toolIdentity" | "sessionId" | "workspace"
>;

/** When, and with which tools' rules, a call is judged. */
export interface RuleMoment {
  readonly nowMs: number;
  readonly tools?: RuleTools | undefined;
}

/**
 * True when a rule holds for a call. What cannot be evaluated never allows and always denies.
 * A deny asks less of the call than an allow: fields it does not mention are ignored,
 * and a changed tool identity does not lift it.
 */
export function ruleApplies(rule: ApprovalRule, call: RuleSubject, moment: RuleMoment): boolean {
  if (rule.toolName !== call.toolName) return false;
  if (rule.agent !== undefined && rule.agent !== call.agentId) return false;
  const deny = rule.effect !== "allow";
  if (isExpired(rule, moment.nowMs)) return false;
  if (!holdsHere(rule, call)) return false;
  try {
    return deny ? deniesCall(rule, call) : allowsCall(rule, call, moment.tools ?? defaultRuleTools);
  } catch {
    return deny;
  }
}

/** True when the call runs a command: by its tool, its effect or its preview. */
export function isCommand(call: RuleSubject, tools: RuleTools = defaultRuleTools): boolean {
  if (call.effect === "command" || tools.command.includes(call.toolName)) return true;
  return (
    isJsonObject(call.preview) && Object.hasOwn(call.preview, "mode") && call.preview["mode"] === "command"
  );
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

function allowsCall(rule: ApprovalRule, call: RuleSubject, tools: RuleTools): boolean {
  const { pattern } = rule;
  if (rule.toolIdentity !== undefined && rule.toolIdentity !== call.toolIdentity) return false;
  if (isCommand(call, tools) && !isOneCall(pattern)) return false;
  if (pattern === undefined) return true;
  const subject = ruleText(call);
  if (typeof pattern === "string") {
    return tools.wholeText.includes(call.toolName) && matchesWildcard(pattern, canonicalJson(subject));
  }
  if ("exact" in pattern) return sameJson(pattern.exact, subject);
  if (!isJsonObject(subject)) return false;
  const { fields } = pattern;
  const mentioned = Object.keys(fields);
  if (Object.keys(subject).length !== mentioned.length) return false;
  return mentioned.every(
    (name) => Object.hasOwn(subject, name) && allowsField(fields[name]!, subject[name]!),
  );
}

function deniesCall(rule: ApprovalRule, call: RuleSubject): boolean {
  const { pattern } = rule;
  if (pattern === undefined) return true;
  const subject = ruleText(call);
  if (typeof pattern === "string") return matchesWildcard(pattern, canonicalJson(subject));
  if ("exact" in pattern) return sameJson(pattern.exact, subject);
  if (!isJsonObject(subject)) return true;
  return Object.entries(pattern.fields).every(([name, field]) => deniesField(field, name, subject));
}

function allowsField(pattern: FieldPattern, value: JsonValue): boolean {
  if (typeof pattern !== "string") return sameJson(pattern.equals, value);
  if (typeof value !== "string") return false;
  if (hasWildcard(pattern) && pattern !== "*" && hasDotSegment(value)) return false;
  return matchesWildcard(pattern, value);
}

function deniesField(pattern: FieldPattern, name: string, subject: JsonObject): boolean {
  if (!Object.hasOwn(subject, name)) return false;
  const value = subject[name]!;
  if (typeof pattern !== "string") return sameJson(pattern.equals, value);
  if (typeof value !== "string") return true;
  const folded = pattern.normalize("NFKC");
  return pathReadings(value).some(
    (reading) => matchesWildcard(pattern, reading) || matchesWildcard(folded, reading),
  );
}

function sameJson(left: JsonValue, right: JsonValue): boolean {
  return canonicalJson(left) === canonicalJson(right);
}
