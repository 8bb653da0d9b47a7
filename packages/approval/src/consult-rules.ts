import { isJsonObject } from "@basis/core";
import type { ApprovalSubject } from "./approval-request.ts";
import { deny, denyFailed, type DenyOutcome } from "./authorize-outcome.ts";
import { decideByRules, type RuleDecision } from "./decide-by-rules.ts";
import type { RuleMoment } from "./opened-call.ts";
import type { RuleStore } from "./rule-store.ts";
import { unsoundRule, type ApprovalRule, type StoredRule } from "./rule.ts";
import { caught, settleSoon, whenThere, type MaybePromise, type StorePatience } from "./store-patience.ts";

/** What the rules say: a final denial, an allow by name, or nothing. */
export type RuleVerdict = DenyOutcome | { readonly decision: "allow"; readonly rule: StoredRule } | undefined;

const WHO = "the rule store";

/** Lists that cannot change and have been looked through. */
const sound = new WeakSet<readonly StoredRule[]>();

/** Asks the rules. A store that fails or stays silent denies. */
export function consultRules(
  store: RuleStore,
  subject: ApprovalSubject,
  options: RulePatience,
): MaybePromise<RuleVerdict> {
  const { toolName, sessionId, workspace } = subject;
  const find = (): MaybePromise<readonly StoredRule[]> => store.find({ toolName, sessionId, workspace });
  return caught<RuleVerdict>(
    () => whenThere(settleSoon(find, options), (rules) => judgeBy(rules, subject, options)),
    (cause) => {
      options.signal?.throwIfAborted();
      return denyFailed(WHO, "it failed", cause);
    },
  );
}

type RulePatience = StorePatience & Pick<RuleMoment, "tools" | "commands">;

function judgeBy(
  rules: readonly StoredRule[],
  subject: ApprovalSubject,
  { clock, tools, commands }: RulePatience,
): RuleVerdict {
  if (!Array.isArray(rules)) return denyFailed(WHO, "its answer is no list of rules", rules);
  if (!sound.has(rules)) {
    const unsound = rules.find(unsoundRule);
    if (unsound !== undefined)
      return denyFailed(WHO, `it holds ${nameOf(unsound)}, which is no rule`, unsound);
    if (Object.isFrozen(rules)) sound.add(rules);
  }
  const decided = decideByRules(rules, subject, { nowMs: clock.now(), tools, commands });
  return decided && verdictOf(decided, subject.toolName);
}

function verdictOf(decided: RuleDecision, toolName: string): RuleVerdict {
  const { effect, rule } = decided;
  if (effect === "allow") return { decision: "allow", rule };
  const because =
    decided.problem === undefined ? "" : ` (the command cannot be read wholly: ${decided.problem})`;
  const reason = `${rule.reason ?? `a remembered rule denies this call of ${toolName}`}${because}`;
  return deny(reason, { by: ruleName(rule), ruleId: rule.id, remembered: true });
}

/** Adds a rule; what goes wrong becomes a denial that names the store. */
export async function rememberRule(
  store: RuleStore,
  rule: ApprovalRule,
  options: StorePatience,
): Promise<DenyOutcome | undefined> {
  try {
    await settleSoon(() => store.add(rule), options);
    return undefined;
  } catch (cause) {
    options.signal?.throwIfAborted();
    return denyFailed(WHO, "it could not keep the rule", cause);
  }
}

function nameOf(rule: unknown): string {
  const id: unknown = isJsonObject(rule) ? rule["id"] : undefined;
  return typeof id === "string" ? `'${id}'` : "something";
}

/** How an outcome names the rule that decided. */
export function ruleName(rule: StoredRule): string {
  return `rule ${rule.id}`;
}
