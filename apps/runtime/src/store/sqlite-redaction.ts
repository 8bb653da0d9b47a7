import type { StoredRule } from "@basis/approval";
import type { SqliteStore, SqliteTransaction, StoreExtension, StoreSql } from "@mobkit/session-sqlite";
import { APPROVAL_COLUMNS, approvalOf } from "./approval-row.ts";
import type { RedactedLedger, StateRedaction } from "./state-redaction.ts";
import type { ModelMessage } from "../providers/model.ts";
import { approvalWithout, isWidened, ruleWithout, type LedgerRedaction } from "../redaction/ledger-text.ts";

/** Redaction of the host's tables in the store's file. */
export function sqliteRedaction(
  store: Pick<SqliteStore<ModelMessage>, "findTexts">,
  extension: StoreExtension,
): StateRedaction {
  return {
    places: { transcripts: "sessions.db", events: "events.db" },
    find: (texts, options) => store.findTexts(texts, options),
    redactLedger: (tx: SqliteTransaction, redaction) => redactLedger(tx.sql, redaction),
    previewLedger: (redaction) => extension.read(({ sql }) => redactLedger(sql, redaction)),
  };
}

function redactLedger(sql: StoreSql, redaction: LedgerRedaction): RedactedLedger {
  for (const id of redaction.messageIds)
    sql.run("UPDATE runtime_intent SET digest = 'redacted' WHERE instr(call_key, ?) > 0", [`:${id}:`]);
  return { ...redactApprovals(sql, redaction), ...redactRules(sql, redaction.forms) };
}

function redactApprovals(
  sql: StoreSql,
  redaction: LedgerRedaction,
): Pick<RedactedLedger, "approvals" | "denied"> {
  const denied: string[] = [];
  let approvals = 0;
  for (const row of sql.all(`SELECT ${APPROVAL_COLUMNS} FROM runtime_approval`)) {
    const record = approvalOf(row);
    const next = approvalWithout(record, redaction);
    if (next === undefined) continue;
    approvals += 1;
    if (next.state !== record.state) denied.push(record.approvalId);
    sql.run("UPDATE runtime_approval SET state = ?, record = ? WHERE id = ?", [
      next.state,
      JSON.stringify(next),
      String(row["id"]),
    ]);
    // What ran by it is recorded with the digest that was approved.
    sql.run("UPDATE runtime_intent SET digest = 'redacted' WHERE call_key = ?", [record.callKey]);
  }
  return { approvals, denied };
}

function redactRules(
  sql: StoreSql,
  forms: readonly string[],
): Pick<RedactedLedger, "forgottenRules" | "widenedRules"> {
  const forgottenRules: string[] = [];
  const widenedRules: string[] = [];
  for (const row of sql.all("SELECT id, rule, revoked_at FROM runtime_rule")) {
    const id = String(row["id"]);
    const rule = parsedRule(String(row["rule"]));
    const next = rule && ruleWithout(rule, { forms, isRevoked: row["revoked_at"] !== null });
    if (next === undefined) continue;
    if (next === "forget") {
      sql.run("DELETE FROM runtime_rule WHERE id = ?", [id]);
      forgottenRules.push(id);
      continue;
    }
    const columns = [JSON.stringify(next), next.within ?? null, id];
    sql.run("UPDATE runtime_rule SET rule = ?, scope_key = ? WHERE id = ?", columns);
    if (isWidened(rule!, next)) widenedRules.push(id);
  }
  return { forgottenRules, widenedRules };
}

/** A damaged row is left to those who tell of it. */
function parsedRule(text: string): StoredRule | undefined {
  try {
    return JSON.parse(text) as StoredRule;
  } catch {
    return undefined;
  }
}
