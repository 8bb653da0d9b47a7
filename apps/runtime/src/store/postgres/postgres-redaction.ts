import type { StoredRule } from "@basis/approval";
import type { PostgresStore, PostgresTransaction, StoreExtension } from "@mobkit/session-postgres";
import type { ModelMessage } from "../../providers/model.ts";
import {
  approvalWithout,
  isWidened,
  ruleWithout,
  type LedgerRedaction,
} from "../../redaction/ledger-text.ts";
import { APPROVAL_COLUMNS, approvalOf } from "../approval-row.ts";
import type { RedactedLedger, StateRedaction } from "../state-redaction.ts";

type Sql = PostgresTransaction["sql"];

/** The table of the event log, which is looked through by itself. */
const EVENTS = "runtime_event";

/** Redaction of the host's tables in the store's schema. */
export function postgresRedaction(
  store: PostgresStore<ModelMessage>,
  extension: StoreExtension,
): StateRedaction {
  return {
    places: {
      transcripts: `the schema ${store.schema}`,
      events: `the event log in the schema ${store.schema}`,
    },
    async find(texts, options) {
      const { messages, tables } = await store.findTexts(texts, options);
      const { [EVENTS]: _, ...others } = tables;
      return { messages, tables: others };
    },
    redactLedger: (tx: PostgresTransaction, redaction) => redactLedger(tx.sql, redaction, true),
    previewLedger: (redaction) => extension.read(({ sql }) => redactLedger(sql, redaction, false)),
  };
}

async function redactLedger(sql: Sql, redaction: LedgerRedaction, writes: boolean): Promise<RedactedLedger> {
  const change = async (text: string, values: readonly (string | null)[]): Promise<void> => {
    if (writes) await sql.run(text, values);
  };
  for (const id of redaction.messageIds)
    await change("UPDATE runtime_intent SET digest = 'redacted' WHERE strpos(call_key, $1) > 0", [`:${id}:`]);
  const approvals = await redactApprovals(sql, redaction, change);
  return { ...approvals, ...(await redactRules(sql, redaction.forms, change)) };
}

type Change = (text: string, values: readonly (string | null)[]) => Promise<void>;

async function redactApprovals(
  sql: Sql,
  redaction: LedgerRedaction,
  change: Change,
): Promise<Pick<RedactedLedger, "approvals" | "denied">> {
  const denied: string[] = [];
  let approvals = 0;
  for (const row of await sql.all(`SELECT ${APPROVAL_COLUMNS} FROM runtime_approval ORDER BY number`)) {
    const record = approvalOf(row);
    const next = approvalWithout(record, redaction);
    if (next === undefined) continue;
    approvals += 1;
    if (next.state !== record.state) denied.push(record.approvalId);
    await change("UPDATE runtime_approval SET state = $2, record = $3 WHERE id = $1", [
      String(row["id"]),
      next.state,
      JSON.stringify(next),
    ]);
    // What ran by it is recorded with the digest that was approved.
    await change("UPDATE runtime_intent SET digest = 'redacted' WHERE call_key = $1", [record.callKey]);
  }
  return { approvals, denied };
}

async function redactRules(
  sql: Sql,
  forms: readonly string[],
  change: Change,
): Promise<Pick<RedactedLedger, "forgottenRules" | "widenedRules">> {
  const forgottenRules: string[] = [];
  const widenedRules: string[] = [];
  for (const row of await sql.all("SELECT id, rule, revoked_at FROM runtime_rule ORDER BY number")) {
    const id = String(row["id"]);
    const rule = parsedRule(String(row["rule"]));
    const next = rule && ruleWithout(rule, { forms, isRevoked: row["revoked_at"] !== null });
    if (next === undefined) continue;
    if (next === "forget") {
      await change("DELETE FROM runtime_rule WHERE id = $1", [id]);
      forgottenRules.push(id);
      continue;
    }
    const cells = [id, JSON.stringify(next), next.within ?? null];
    await change("UPDATE runtime_rule SET rule = $2, scope_key = $3 WHERE id = $1", cells);
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
