import { newId, systemClock, type Clock } from "@basis/core";
import type { ApprovalRule, RuleFilter, RuleQuery, RuleStore, StoredRule } from "@basis/approval";
import { checkRule } from "@basis/approval/store";
import type { StoreExtension, StoreSql } from "@mobkit/session-sqlite";
import { RULE_COLUMNS, ruleOf } from "./rule-row.ts";

/**
 * Rules in the store's own file, for every process that opens it. A rule is never changed: it is revoked, and its row
 * stays with the time of that. What another process adds or revokes counts from the next question on.
 *
 * A row that is no rule makes the store reject, so that the gate denies every call of that tool and names the row.
 */
export function sqliteRules(extension: StoreExtension, clock: Clock = systemClock): RuleStore {
  /** What was found, by tool, since the rules last changed. */
  const known = new Map<string, readonly StoredRule[]>();
  let seen: unknown;
  return {
    find: ({ toolName }: RuleQuery) =>
      extension.read(({ sql }) => {
        const version = sql.get("SELECT version FROM runtime_rule_version")?.["version"];
        if (version !== seen) known.clear();
        seen = version;
        const rules = known.get(toolName) ?? Object.freeze(listRules(sql, { toolName }));
        known.set(toolName, rules);
        return rules;
      }),
    async add(rule: ApprovalRule) {
      checkRule(rule);
      const createdAt = clock.now();
      const stored: StoredRule = { ...rule, id: newId(createdAt), createdAt };
      await extension.transaction(({ sql }) => insertRule(sql, stored));
      return stored;
    },
    list: (filter) => extension.read(({ sql }) => listRules(sql, filter)),
    revoke: (ruleId) =>
      extension.transaction(({ sql }) => {
        const live = sql.get("SELECT id FROM runtime_rule WHERE id = ? AND revoked_at IS NULL", [ruleId]);
        if (live === undefined) return false;
        sql.run("UPDATE runtime_rule SET revoked_at = ? WHERE id = ?", [clock.now(), ruleId]);
        return true;
      }),
  };
}

function insertRule(sql: StoreSql, rule: StoredRule): void {
  const { id, toolName, effect, scope, within = null, createdAt, expiresAt = null } = rule;
  sql.run(
    `INSERT INTO runtime_rule (id, tool, effect, scope, scope_key, created_at, expires_at, rule)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, toolName, effect, scope, within, createdAt, expiresAt, JSON.stringify(rule)],
  );
}

function listRules(sql: StoreSql, filter: RuleFilter = {}): StoredRule[] {
  const { toolName, scope, within } = filter;
  const wanted = { "scope = ?": scope, "scope_key = ?": within };
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // Also rows whose text alone names the tool: their column is damaged, and what they deny must not be lost.
  const ofTool = toolName === undefined ? [] : [toolName, `"toolName":${JSON.stringify(toolName)}`];
  const named = ofTool.length === 0 ? [] : ["(tool = ? OR instr(rule, ?) > 0)"];
  const where = ["revoked_at IS NULL", ...named, ...given.map(([condition]) => condition)].join(" AND ");
  return sql
    .all(`SELECT ${RULE_COLUMNS} FROM runtime_rule WHERE ${where} ORDER BY rowid`, [
      ...ofTool,
      ...given.map(([, value]) => value),
    ])
    .map(ruleOf)
    .filter((rule) => toolName === undefined || rule.toolName === toolName);
}
