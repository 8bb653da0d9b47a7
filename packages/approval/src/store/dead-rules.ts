import { commandPatternOf, defaultRuleTools, type RuleTools, type StoredRule } from "../rule.ts";

/** What rules are measured against. */
export interface DeadRuleOptions {
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The tools there are, each with its identity where the host knows one. Absent: any tool may be there. */
  readonly toolIdentities?: ReadonlyMap<string, string | undefined> | undefined;
  /** Whether the gate has somebody who reads commands. Default true. */
  readonly readsCommands?: boolean | undefined;
  readonly tools?: RuleTools | undefined;
}

/** A rule that decides nothing any more, or never could. */
export interface DeadRule {
  readonly rule: StoredRule;
  readonly problem: string;
}

/** The rules that can never match as things stand, each with the reason, in the order given. */
export function deadRules(rules: readonly StoredRule[], options: DeadRuleOptions): readonly DeadRule[] {
  return rules.flatMap((rule) => {
    const problem =
      timeProblem(rule, options) ??
      toolProblem(rule, options) ??
      patternProblem(rule, options) ??
      shadowProblem(rule, rules, options);
    return problem === undefined ? [] : [{ rule, problem }];
  });
}

function timeProblem({ expiresAt }: StoredRule, { nowMs }: DeadRuleOptions): string | undefined {
  return expiresAt !== undefined && nowMs >= expiresAt ? "it has expired" : undefined;
}

function toolProblem(rule: StoredRule, { toolIdentities }: DeadRuleOptions): string | undefined {
  if (toolIdentities === undefined) return undefined;
  if (!toolIdentities.has(rule.toolName)) return `there is no tool '${rule.toolName}'`;
  const identity = toolIdentities.get(rule.toolName);
  const lapsed = rule.effect === "allow" && rule.toolIdentity !== undefined && rule.toolIdentity !== identity;
  return lapsed ? `another tool stands behind the name '${rule.toolName}'` : undefined;
}

/** A whole text is matched on the canonical JSON of an object; nothing else begins and ends as that does. */
function patternProblem(rule: StoredRule, options: DeadRuleOptions): string | undefined {
  const { pattern, effect } = rule;
  const { readsCommands = true, tools = defaultRuleTools } = options;
  if (typeof pattern === "string") {
    if (!tools.wholeText.includes(rule.toolName)) return `a whole text is not matched for '${rule.toolName}'`;
    return /^[{*?].*[}*?]$|^[*]$/su.test(pattern) ? undefined : "its text can be that of no preview";
  }
  if (commandPatternOf(rule) !== undefined && effect === "allow" && !readsCommands) {
    return "nobody reads commands here: give the gate `commands`";
  }
  return undefined;
}

/** An allow beneath a denial of everything that it could allow. */
function shadowProblem(
  rule: StoredRule,
  rules: readonly StoredRule[],
  options: DeadRuleOptions,
): string | undefined {
  if (rule.effect !== "allow") return undefined;
  const above = rules.find(
    (other) => other.effect === "deny" && other.pattern === undefined && coversPlaceOf(other, rule, options),
  );
  return above && `rule ${above.id} denies every call that it could allow`;
}

function coversPlaceOf(denial: StoredRule, rule: StoredRule, options: DeadRuleOptions): boolean {
  if (denial.toolName !== rule.toolName || timeProblem(denial, options) !== undefined) return false;
  if (denial.expiresAt !== undefined && denial.expiresAt < (rule.expiresAt ?? Infinity)) return false;
  if (denial.agent !== undefined && denial.agent !== rule.agent) return false;
  const everywhere = denial.scope === "global" || denial.scope === "process" || denial.within === undefined;
  return everywhere || (denial.scope === rule.scope && denial.within === rule.within);
}
