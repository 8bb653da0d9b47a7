import { isJsonObject, visibleText, type JsonValue } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";
import { ruleText } from "./approval-request.ts";
import { isCommand, type RuleSubject } from "./opened-call.ts";
import {
  defaultRuleTools,
  type ApprovalRule,
  type FieldPattern,
  type RuleScope,
  type RuleTools,
} from "./rule.ts";

/** How a rule is made from a call. */
export interface NarrowestRuleOptions {
  readonly effect?: "allow" | "deny" | undefined;
  /** Default `session`. */
  readonly scope?: RuleScope | undefined;
  /** Fields that may differ; every other stays pinned to this call's value. Default none: this exact call. */
  readonly vary?: readonly string[] | undefined;
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
  readonly tools?: RuleTools | undefined;
}

/** A rule that covers a call, and in words what else it would decide. */
export interface NarrowestRule {
  readonly rule: ApprovalRule;
  readonly alsoCovers: string;
}

/**
 * The narrowest rule that covers a call: its tool and identity, its agent, its scope, and every field of its preview.
 *
 * @throws ApprovalError `command_wildcard` when an allow for a command would vary a field;
 * `invalid_rule` when a field to vary is not a text of this call.
 */
export function narrowestRule(call: RuleSubject, options: NarrowestRuleOptions = {}): NarrowestRule {
  const { effect = "allow", scope = "session", vary = [], tools = defaultRuleTools } = options;
  const subject = ruleText(call);
  if (effect === "allow" && vary.length > 0 && isCommand(call, tools)) {
    throw new ApprovalError(
      "command_wildcard",
      "a remembered command is this exact command, nothing may vary",
      {
        details: { toolName: call.toolName },
      },
    );
  }
  const rule: ApprovalRule = {
    toolName: call.toolName,
    pattern: vary.length === 0 ? { exact: subject } : { fields: fieldPatterns(call.toolName, subject, vary) },
    effect,
    scope,
    agent: call.agentId,
    within: withinOf(scope, call),
    toolIdentity: call.toolIdentity,
    reason: options.reason,
    expiresAt: options.expiresAt,
  };
  return { rule: dropUndefined(rule), alsoCovers: alsoCovers(rule, vary) };
}

function fieldPatterns(
  toolName: string,
  subject: JsonValue,
  vary: readonly string[],
): Record<string, FieldPattern> {
  const source = isJsonObject(subject) ? subject : {};
  for (const field of vary) {
    if (Object.hasOwn(source, field) && typeof source[field] === "string") continue;
    throw new ApprovalError("invalid_rule", `the call has no text named '${field}' that could vary`, {
      details: { toolName, field, problem: "is not a text of this call" },
    });
  }
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => [name, vary.includes(name) ? "*" : { equals: value }]),
  );
}

function withinOf(scope: RuleScope, call: RuleSubject): string | undefined {
  if (scope === "session") return call.sessionId;
  return scope === "workspace" ? call.workspace : undefined;
}

function alsoCovers(rule: ApprovalRule, vary: readonly string[]): string {
  const span = {
    process: "this process",
    session: "this session",
    workspace: "this workspace",
    global: "any workspace",
  };
  const when = `by agent ${visibleText(rule.agent ?? "any")}, in ${span[rule.scope]}`;
  const verb = rule.effect === "allow" ? "allows" : "denies";
  if (vary.length === 0) return `also ${verb} this same call again, ${when}; nothing else`;
  const free = vary.map((name) => `any ${visibleText(name)}`).join(" and ");
  return `also ${verb} ${visibleText(rule.toolName)} with ${free}, everything else as in this call, ${when}`;
}

function dropUndefined(rule: ApprovalRule): ApprovalRule {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as never;
}
