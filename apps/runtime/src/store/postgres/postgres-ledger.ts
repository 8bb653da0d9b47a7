import type { ApprovalRecord } from "@basis/approval";
import { redeemApproval } from "@basis/approval/store";
import type { Clock, SideEffectLevel } from "@basis/core";
import type { PostgresTransaction, SqlRow, StoreExtension } from "@mobkit/session-postgres";
import type { CancelRequests, HostLedger, Intent, UseUp } from "../host-ledger.ts";
import { newestApproval, postgresApprovals, writeApproval } from "./postgres-approvals.ts";
import { postgresRules } from "./postgres-rules.ts";

type Sql = PostgresTransaction["sql"];

/** Intents, approvals and rules in the store's own schema and transactions. */
export function postgresLedger(extension: StoreExtension, clock?: Clock): HostLedger<PostgresTransaction> {
  return {
    approvals: postgresApprovals(extension),
    rules: postgresRules(extension, clock),
    cancels: postgresCancels(extension),
    async begin({ sql }, intent, useUp) {
      const used = useUp && (await usedUp(sql, intent.callKey, useUp));
      await Promise.all([writeApproval(sql, used), insertIntent(sql, intent)]);
    },
    async finish({ sql }, callKey, at) {
      await sql.run("UPDATE runtime_intent SET finished_at = $2 WHERE call_key = $1", [callKey, at]);
    },
    async intentsOf(sessionId) {
      const intents = "SELECT * FROM runtime_intent WHERE session = $1 ORDER BY started_at, number";
      return (await extension.statement(intents, [sessionId])).map(intentOf);
    },
    forget: (sessionIds) => extension.transaction(({ sql }) => forgetSessions(sql, sessionIds)),
    async lastUpkeep() {
      const [row] = await extension.statement("SELECT at FROM runtime_upkeep");
      return row && Number(row["at"]);
    },
    async noteUpkeep(at) {
      const note =
        "INSERT INTO runtime_upkeep VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at";
      await extension.statement(note, [at]);
    },
  };
}

/** The question that is used up; undefined for an allow of this process, for which nothing is looked up. */
async function usedUp(sql: Sql, callKey: string, useUp: UseUp): Promise<ApprovalRecord | undefined> {
  let isAsked = false;
  const name = "approval store";
  const look = (): never => {
    isAsked = true;
    throw new Error("the question has to be looked up");
  };
  try {
    useUp({ name, redeem: look });
    return undefined;
  } catch (error) {
    if (!isAsked) throw error;
  }
  const newest = await newestApproval(sql, callKey);
  let used: ApprovalRecord | undefined;
  useUp({
    name,
    redeem(redemption) {
      const result = redeemApproval(newest, redemption);
      if (result.ok) used = result.record;
      return result;
    },
  });
  return used;
}

/** Cancels that were asked for; whoever runs the turn is told. */
function postgresCancels(extension: StoreExtension): CancelRequests {
  const ask = `WITH asked AS (
      INSERT INTO runtime_cancel (run, session, asked_at) VALUES ($1, $2, $3) ON CONFLICT (run) DO NOTHING
    ) SELECT pg_notify($4, json_build_array('cancel', $1::text)::text)`;
  return {
    async ask({ runId, sessionId, at }) {
      await extension.statement(ask, [runId, sessionId, at, extension.channel]);
    },
    asked: async () =>
      (await extension.statement("SELECT run FROM runtime_cancel")).map(({ run }) => String(run)),
    async settle(runId) {
      await extension.statement("DELETE FROM runtime_cancel WHERE run = $1", [runId]);
    },
  };
}

async function forgetSessions(sql: Sql, sessionIds: readonly string[]): Promise<void> {
  const of = ["runtime_intent", "runtime_approval", "runtime_cancel"];
  const forgotten = of.map((table) => sql.run(`DELETE FROM ${table} WHERE session = ANY ($1)`, [sessionIds]));
  const rules = "DELETE FROM runtime_rule WHERE scope = 'session' AND scope_key = ANY ($1)";
  await Promise.all([...forgotten, sql.run(rules, [sessionIds])]);
}

async function insertIntent(sql: Sql, intent: Intent): Promise<void> {
  const { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt } = intent;
  await sql.run(
    `INSERT INTO runtime_intent (call_key, session, run, tool_call, tool, level, digest, started_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [callKey, sessionId, runId, storedText(toolCallId), toolName, level, digest, startedAt],
  );
}

/** A column of text has no NUL. */
function storedText(text: string): string {
  return text.replaceAll("\0", "\ufffd");
}

function intentOf(row: SqlRow): Intent {
  return {
    callKey: String(row["call_key"]),
    sessionId: String(row["session"]),
    runId: String(row["run"]),
    toolCallId: String(row["tool_call"]),
    toolName: String(row["tool"]),
    level: String(row["level"]) as SideEffectLevel,
    digest: String(row["digest"]),
    startedAt: Number(row["started_at"]),
    ...(row["finished_at"] === null ? {} : { finishedAt: Number(row["finished_at"]) }),
  };
}
