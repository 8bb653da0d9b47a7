import { newId, systemClock, type Clock } from "@basis/core";
import type { ApprovalRule, RuleFilter, RuleQuery, RuleStore, StoredRule } from "@basis/approval";
import { checkRule } from "@basis/approval/store";
import type { SqlValue, StoreExtension } from "@mobkit/session-postgres";
import { RULE_COLUMNS, ruleOf } from "../rule-row.ts";

/**
 * Rules in the host's tables, for every machine. What any process adds or revokes counts from the next question on: each
 * asks for the rules' version, in the one round trip that brings them when it has changed.
 *
 * A row that is no rule makes the store reject, so that the gate denies every call of that tool and names the row.
 */
export function postgresRules(extension: StoreExtension, clock: Clock = systemClock): RuleStore {
  /** What was found, by tool, and the version that it was found at. */
  const known = new Map<string, { readonly version: number; readonly rules: readonly StoredRule[] }>();
  return {
    async find({ toolName }: RuleQuery) {
      const kept = known.get(toolName);
      const found = await extension.statement(FIND, [kept?.version ?? -1, toolName, textNaming(toolName)]);
      const version = Number(found[0]?.["version"]);
      if (kept?.version === version) return kept.rules;
      const rules = Object.freeze(
        found
          .filter(({ id }) => id !== null)
          .map(ruleOf)
          .filter((rule) => rule.toolName === toolName),
      );
      known.set(toolName, { version, rules });
      return rules;
    },
    async add(rule: ApprovalRule) {
      checkRule(rule);
      const createdAt = clock.now();
      const stored: StoredRule = { ...rule, id: newId(createdAt), createdAt };
      await extension.statement(ADD, cellsOf(stored));
      return stored;
    },
    list: (filter) => listRules(extension, filter),
    async revoke(ruleId) {
      const revoke = `UPDATE runtime_rule SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`;
      return extension.transaction(async ({ sql }) => (await sql.run(revoke, [ruleId, clock.now()])) > 0);
    },
  };
}

/** Also rows whose text alone names the tool: their column is damaged, and what they deny must not be lost. */
const OF_TOOL = "(tool = $2 OR strpos(rule, $3) > 0)";

const FIND = `SELECT version, ${RULE_COLUMNS} FROM (SELECT version FROM runtime_rule_version) AS rules
  LEFT JOIN runtime_rule ON version <> $1 AND revoked_at IS NULL AND ${OF_TOOL} ORDER BY number`;

const ADD = `INSERT INTO runtime_rule (id, tool, effect, scope, scope_key, created_at, expires_at, rule)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`;

function cellsOf(rule: StoredRule): SqlValue[] {
  const { id, toolName, effect, scope, within = null, createdAt, expiresAt = null } = rule;
  return [id, toolName, effect, scope, within, createdAt, expiresAt, JSON.stringify(rule)];
}

function textNaming(toolName: string): string {
  return `"toolName":${JSON.stringify(toolName)}`;
}

async function listRules(
  extension: StoreExtension,
  { toolName, scope, within }: RuleFilter = {},
): Promise<StoredRule[]> {
  const rows = await extension.statement(
    `SELECT ${RULE_COLUMNS} FROM runtime_rule WHERE revoked_at IS NULL AND ($1::text IS NULL OR scope = $1)
      AND ($2::text IS NULL OR ${OF_TOOL}) AND ($4::text IS NULL OR scope_key = $4) ORDER BY number`,
    [scope ?? null, toolName ?? null, toolName === undefined ? null : textNaming(toolName), within ?? null],
  );
  return rows.map(ruleOf).filter((rule) => toolName === undefined || rule.toolName === toolName);
}
