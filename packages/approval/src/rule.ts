import { canonicalJson, isJsonObject, type JsonValue } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";
import { commandPatternProblem, type CommandPattern } from "./command-pattern.ts";
import { hasWildcard } from "./wildcard.ts";

/** Where a rule holds, from the narrowest to the widest. */
export type RuleScope = "process" | "session" | "workspace" | "global";

/** One field of a call: a text with `*` and `?` inside a single string value, or one exact JSON value. */
export type FieldPattern = string | { readonly equals: JsonValue };

/**
 * What a rule matches of the call's preview (its input where there is none).
 * - a text: matched on the whole canonical JSON; only for tools whose preview has a fixed form (`spawn`)
 * - `exact`: this value and no other
 * - `fields`: per top-level field. An allow matches only when every field of the call is mentioned.
 * - `command`: the words of a command. Needs a gate with `commands`; without one it never allows and always denies.
 */
export type RulePattern =
  | string
  | { readonly exact: JsonValue }
  | { readonly fields: { readonly [field: string]: FieldPattern } }
  | { readonly command: CommandPattern };

/** A remembered decision. Without a pattern it covers every call of the tool. */
export interface ApprovalRule {
  readonly toolName: string;
  readonly pattern?: RulePattern | undefined;
  readonly effect: "allow" | "deny";
  readonly scope: RuleScope;
  /** Absent: any agent. */
  readonly agent?: string | undefined;
  /** Milliseconds since the epoch; from that moment on the rule no longer holds. */
  readonly expiresAt?: number | undefined;
  /** What a denial by this rule tells the model. */
  readonly reason?: string | undefined;
  /** The tool the rule was made for: an allow lapses when another stands behind the name. Absent: whatever has the name. */
  readonly toolIdentity?: string | undefined;
  /** The session id or workspace directory of the scope. Absent: wherever the rule's store is asked. */
  readonly within?: string | undefined;
}

/** A rule in a store. */
export interface StoredRule extends ApprovalRule {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Which tools have which kind of rules. */
export interface RuleTools {
  /** Tools whose preview may be matched as a whole text. Default `["spawn"]`. */
  readonly wholeText: readonly string[];
  /** Tools whose every call is a command. Default `["run"]`. */
  readonly command: readonly string[];
}

/** The tools of the reference host. */
export const defaultRuleTools: RuleTools = Object.freeze({
  wholeText: Object.freeze(["spawn"]),
  command: Object.freeze(["run"]),
});

/** Scopes in the order in which they name the deciding allow. */
export const scopeOrder: readonly RuleScope[] = Object.freeze(["process", "session", "workspace", "global"]);

/**
 * Checks that a rule means something.
 *
 * @throws ApprovalError `invalid_rule` naming the field, or `command_wildcard` for an allow that covers
 * more than one exact command.
 */
export function checkRule(rule: ApprovalRule, tools: RuleTools = defaultRuleTools): void {
  const problem = ruleProblem(rule, tools);
  const toolName = isJsonObject(rule) ? rule.toolName : "?";
  if (problem) {
    const [field, text] = problem;
    throw new ApprovalError("invalid_rule", `the rule for '${toolName}' is invalid: ${field} ${text}`, {
      details: { toolName, field, problem: text },
    });
  }
  if (commandPatternOf(rule) === undefined && rule.effect === "allow" && coversCommands(rule, tools)) {
    if (isOneCall(rule.pattern)) return;
    throw new ApprovalError(
      "command_wildcard",
      `an allow rule for commands of '${rule.toolName}' must be one exact command: ` +
        "a wildcard would also cover what is chained to it (`git status && rm -rf /`); " +
        "write {command: {words: […]}} to allow by words",
      { details: { toolName: rule.toolName } },
    );
  }
}

/** Fields of a rule that are a text where they are there. */
const textFields = ["agent", "reason", "toolIdentity", "within"] as const;

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** True for what a store can only hold when it is damaged: ignoring it could lose a denial. */
export function unsoundRule(rule: unknown): boolean {
  if (typeof rule !== "object" || rule === null) return true;
  const { id, toolName, effect, scope, pattern, expiresAt } = rule as Partial<StoredRule>;
  if (textFields.some((field) => !isTextOrAbsent((rule as ApprovalRule)[field]))) return true;
  if (effect !== "allow" && effect !== "deny") return true;
  return (
    typeof id !== "string" ||
    typeof toolName !== "string" ||
    !scopeOrder.includes(scope!) ||
    (expiresAt !== undefined && typeof expiresAt !== "number") ||
    unsoundPattern(pattern, effect)
  );
}

function unsoundPattern(pattern: unknown, effect: ApprovalRule["effect"]): boolean {
  if (pattern === undefined || typeof pattern === "string") return false;
  if (!isJsonObject(pattern)) return true;
  return "command" in pattern && commandPatternProblem(pattern["command"], effect) !== undefined;
}

/** True when the pattern matches one call only. */
export function isOneCall(pattern: RulePattern | undefined): boolean {
  if (pattern === undefined) return false;
  if (typeof pattern === "string") return !hasWildcard(pattern);
  if ("exact" in pattern) return true;
  if ("command" in pattern) return false;
  return Object.values(pattern.fields).every((field) => typeof field !== "string" || !hasWildcard(field));
}

/** The words a rule matches commands by; undefined for every other rule. */
export function commandPatternOf({ pattern }: Pick<ApprovalRule, "pattern">): CommandPattern | undefined {
  return typeof pattern === "object" && "command" in pattern ? pattern.command : undefined;
}

function coversCommands(rule: ApprovalRule, tools: RuleTools): boolean {
  if (tools.command.includes(rule.toolName)) return true;
  const { pattern } = rule;
  if (typeof pattern === "string") return pattern.includes('"mode":"command"');
  if (pattern === undefined || !("fields" in pattern) || !Object.hasOwn(pattern.fields, "mode")) return false;
  const mode = pattern.fields["mode"];
  return mode === "command" || (typeof mode === "object" && mode.equals === "command");
}

type Problem = readonly [field: string, text: string];

function ruleProblem(rule: ApprovalRule, tools: RuleTools): Problem | undefined {
  if (!isJsonObject(rule)) return ["rule", "is not an object"];
  if (typeof rule.toolName !== "string" || rule.toolName === "") return ["toolName", "is not a name"];
  if (rule.effect !== "allow" && rule.effect !== "deny") return ["effect", "is neither allow nor deny"];
  if (!scopeOrder.includes(rule.scope)) return ["scope", `is none of ${scopeOrder.join(", ")}`];
  if (rule.expiresAt !== undefined && !Number.isFinite(rule.expiresAt)) {
    return ["expiresAt", "is not a number of milliseconds"];
  }
  const wrong = textFields.find((field) => !isTextOrAbsent(rule[field]));
  if (wrong !== undefined) return [wrong, "is not a text"];
  return patternProblem(rule, tools);
}

function patternProblem(rule: ApprovalRule, tools: RuleTools): Problem | undefined {
  const { pattern, toolName } = rule;
  if (pattern === undefined) return undefined;
  if (typeof pattern === "string") {
    if (tools.wholeText.includes(toolName)) return undefined;
    return [
      "pattern",
      `is a whole text, which only ${tools.wholeText.join(", ")} may have: write {fields: {…}}`,
    ];
  }
  if (!isJsonObject(pattern)) return ["pattern", "is neither a text nor an object"];
  if (!hasCanonicalForm(pattern)) return ["pattern", "has no canonical JSON form"];
  if (Object.hasOwn(pattern, "exact")) return undefined;
  if ("command" in pattern) return commandPatternProblem(pattern.command, rule.effect);
  return fieldsProblem((pattern as { fields?: unknown }).fields);
}

function fieldsProblem(fields: unknown): Problem | undefined {
  if (!isJsonObject(fields)) return ["pattern", "has none of exact, fields, command"];
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field !== "string" && !(isJsonObject(field) && Object.hasOwn(field, "equals"))) {
      return [`pattern.fields.${name}`, "is neither a text nor {equals}"];
    }
  }
  return undefined;
}

function hasCanonicalForm(value: unknown): boolean {
  try {
    return canonicalJson(value) !== "";
  } catch {
    return false;
  }
}
