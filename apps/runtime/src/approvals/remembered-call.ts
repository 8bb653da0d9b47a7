import {
  ApprovalError,
  narrowestRule,
  visibleText,
  type ApprovalRecord,
  type ApprovalRule,
  type ApprovalSubject,
  type RuleScope,
} from "@basis/approval";
import { secrets } from "../secrets/secrets.ts";

/** How a call is remembered. */
export interface RememberOptions {
  readonly scope: RuleScope;
  /** Of a command: how many words of each part a rule spells. Absent: the exact command. */
  readonly words?: number | undefined;
  readonly effect?: "allow" | "deny" | undefined;
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** The rules to keep, and what else they would decide, in lines. */
export interface RememberedCall {
  readonly rules: readonly ApprovalRule[];
  readonly inWords: readonly string[];
}

/**
 * The narrowest rules that cover a call. A rule that holds beyond its session holds for every agent: their names are
 * minted anew for each session.
 */
export async function rememberedCall(
  subject: ApprovalSubject,
  options: RememberOptions,
): Promise<RememberedCall> {
  const { scope, words, effect = "allow", reason, expiresAt } = options;
  const { rule, alsoCovers } = narrowestRule(subject, { scope, effect, reason, expiresAt });
  const beyond = scope === "workspace" || scope === "global";
  if (effect === "deny" || subject.effect !== "command")
    return {
      rules: [beyond ? forEveryAgent(rule) : rule],
      inWords: [beyond ? everyAgent(alsoCovers) : alsoCovers],
    };
  const { openCommandRules } = await import("@basis/approval/commands");
  // What git may run is looked at when a rule is used; here it is shown what the words alone would allow.
  const commands = await openCommandRules({ gitMayRun: () => false });
  const remembered = commands.remember(subject, { scope, words, expiresAt });
  return {
    rules: beyond ? remembered.rules.map(forEveryAgent) : remembered.rules,
    inWords: [
      ...(remembered.problem === undefined
        ? []
        : [`  this exact call alone, since by words it cannot be kept: ${remembered.problem}`]),
      ...remembered.rules.map((each) => `  ${ruleInWords(each)}`),
      ...listed("it would also allow", remembered.alsoAllows),
      ...listed("it would still ask about", remembered.stillAsks),
    ],
  };
}

/** What stands where a secret stood. */
const HIDDEN = /\[redacted(?: [^\]]*)?\]/;

/**
 * `rememberedCall` of a question that was kept.
 *
 * @throws ApprovalError `invalid_rule` for a call that had a secret in it: it is not kept, and a rule without it would match no call.
 */
export function rememberedQuestion(
  record: ApprovalRecord,
  options: RememberOptions,
): Promise<RememberedCall> {
  if (!HIDDEN.test(JSON.stringify([record.input, record.preview]))) return rememberedCall(record, options);
  const problem = "the call has a secret in it, which is not kept, so that no rule would match it";
  throw new ApprovalError("invalid_rule", `${problem}: answer this call alone`, {
    details: { toolName: record.toolName, field: "pattern", problem },
  });
}

function forEveryAgent({ agent: _agent, ...rule }: ApprovalRule): ApprovalRule {
  return rule;
}

function everyAgent(text: string): string {
  return text.replace(/ by agent [^,]*,/, " by any agent,");
}

function listed(title: string, commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [`${title}: nothing that was tried`];
  return [`${title}:`, ...commands.map((command) => `  ${visibleText(command)}`)];
}

/** What a rule matches, on one line. */
export function ruleInWords({ effect, toolName, pattern }: ApprovalRule): string {
  const head = `${effect} ${visibleText(toolName)}`;
  if (pattern === undefined) return `${head}: every call`;
  const shown = typeof pattern === "string" ? pattern : JSON.stringify(pattern);
  return `${head}: ${visibleText(secrets.redact(shown), { maxChars: 300 })}`;
}
