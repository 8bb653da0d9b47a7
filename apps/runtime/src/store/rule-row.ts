import type { StoredRule } from "@basis/approval";
import { checkRule } from "@basis/approval/store";

/** What a rule is read from. */
export const RULE_COLUMNS = "id, tool, effect, scope, scope_key, rule";

/** A row's columns are what it is found by: they must say what its text says. */
export function ruleOf(row: Readonly<Record<string, unknown>>): StoredRule {
  const id = String(row["id"]);
  const rule = parseRule(id, String(row["rule"]));
  const agree =
    rule.id === id &&
    rule.toolName === row["tool"] &&
    rule.effect === row["effect"] &&
    rule.scope === row["scope"] &&
    (rule.within ?? null) === row["scope_key"];
  if (!agree) throw damaged(id, "its columns and its text differ");
  return rule;
}

function parseRule(id: string, text: string): StoredRule {
  let rule: StoredRule;
  try {
    // Frozen through and through: only of such rules is an index kept.
    rule = JSON.parse(text, (_, value: unknown) => Object.freeze(value)) as StoredRule;
    checkRule(rule);
  } catch (cause) {
    throw damaged(id, (cause as Error).message, cause);
  }
  if (typeof rule.createdAt !== "number") throw damaged(id, "it does not say when it was made");
  return rule;
}

function damaged(id: string, why: string, cause?: unknown): Error {
  return new Error(
    `rule '${id}' of the store is damaged (${why}): revoke it with 'basis rules revoke ${id}'`,
    {
      cause,
    },
  );
}
