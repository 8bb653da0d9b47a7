import type { Clock, SideEffectLevel } from "@basis/core";
import type { ApprovalFilter, ApprovalRecord, ApprovalStore, SyncApprovalStore } from "@basis/approval";
import { redeemApproval, resolveApproval } from "@basis/approval/store";
import type { SqliteTransaction, SqlRow, StoreExtension, StoreSql } from "@mobkit/session-sqlite";
import { APPROVAL_COLUMNS, approvalOf, approvalText } from "./approval-row.ts";
import type { HostLedger, Intent } from "./host-ledger.ts";
import { sqliteCancels } from "./sqlite-cancels.ts";
import { sqliteRules } from "./sqlite-rules.ts";

/** The host's tables in the store's file; only ever added to. */
export const ledgerMigrations: readonly string[] = [
  `CREATE TABLE runtime_intent (
     call_key TEXT PRIMARY KEY, session TEXT NOT NULL, run TEXT NOT NULL, tool_call TEXT NOT NULL, tool TEXT NOT NULL,
     level TEXT NOT NULL, digest TEXT NOT NULL, started_at INTEGER NOT NULL, finished_at INTEGER
   ) STRICT;
   CREATE INDEX runtime_intent_session ON runtime_intent (session, started_at);
   CREATE TABLE runtime_approval (
     id TEXT PRIMARY KEY, call_key TEXT NOT NULL, session TEXT, state TEXT NOT NULL, created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, record TEXT NOT NULL
   ) STRICT;
   CREATE INDEX runtime_approval_call ON runtime_approval (call_key, created_at);
   CREATE TABLE runtime_rule (
     id TEXT PRIMARY KEY, tool TEXT NOT NULL, effect TEXT NOT NULL, scope TEXT NOT NULL, scope_key TEXT,
     created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, rule TEXT NOT NULL
   ) STRICT;
   CREATE INDEX runtime_rule_tool ON runtime_rule (tool, scope, scope_key);
   CREATE TABLE runtime_queue (
     id TEXT PRIMARY KEY, session TEXT NOT NULL, write_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL,
     plan_digest TEXT, input TEXT NOT NULL, created_at INTEGER NOT NULL, taken_at INTEGER, taken_by TEXT
   ) STRICT;
   CREATE INDEX runtime_queue_session ON runtime_queue (session, state, created_at);`,
  `CREATE TABLE runtime_upkeep (at INTEGER NOT NULL) STRICT;
   CREATE INDEX runtime_approval_session ON runtime_approval (session);`,
  `CREATE TABLE runtime_rule_version (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
   INSERT INTO runtime_rule_version VALUES (1, 0);
   CREATE TRIGGER runtime_rule_added AFTER INSERT ON runtime_rule
     BEGIN UPDATE runtime_rule_version SET version = version + 1; END;
   CREATE TRIGGER runtime_rule_changed AFTER UPDATE ON runtime_rule
     BEGIN UPDATE runtime_rule_version SET version = version + 1; END;
   CREATE TRIGGER runtime_rule_removed AFTER DELETE ON runtime_rule
     BEGIN UPDATE runtime_rule_version SET version = version + 1; END;`,
  `CREATE TABLE runtime_cancel (run TEXT PRIMARY KEY, session TEXT NOT NULL, asked_at INTEGER NOT NULL) STRICT;`,
  `CREATE TABLE runtime_move (id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL) STRICT;`,
];

/** Intents, approvals and rules in the store's own file and transactions. */
export function sqliteLedger(extension: StoreExtension, clock?: Clock): HostLedger<SqliteTransaction> {
  const approvals: ApprovalStore = {
    name: "approval store",
    put: (record) => extension.transaction((tx) => approvalsOn(tx.sql).put(record)),
    get: (id) => extension.read((tx) => approvalsOn(tx.sql).get(id)),
    list: (filter) => extension.read((tx) => approvalsOn(tx.sql).list(filter)),
    resolve: (id, resolution) => extension.transaction((tx) => approvalsOn(tx.sql).resolve(id, resolution)),
    redeem: (redemption) => extension.transaction((tx) => approvalsOn(tx.sql).redeem(redemption)),
  };
  return {
    approvals,
    rules: sqliteRules(extension, clock),
    cancels: sqliteCancels(extension),
    begin({ sql }, intent, useUp) {
      useUp?.(approvalsOn(sql));
      insertIntent(sql, intent);
    },
    finish: (tx, callKey, at) =>
      void tx.sql.run("UPDATE runtime_intent SET finished_at = ? WHERE call_key = ?", [at, callKey]),
    intentsOf: (sessionId) =>
      extension.read(({ sql }) =>
        sql
          .all("SELECT * FROM runtime_intent WHERE session = ? ORDER BY started_at, rowid", [sessionId])
          .map(intentOf),
      ),
    forget: (sessionIds) =>
      extension.transaction(({ sql }) => sessionIds.forEach((session) => forgetSession(sql, session))),
    lastUpkeep: () =>
      extension.read(({ sql }) => {
        const at = sql.get("SELECT max(at) AS at FROM runtime_upkeep")?.["at"] ?? null;
        return at === null ? undefined : Number(at);
      }),
    noteUpkeep: (at) =>
      extension.transaction(({ sql }) => {
        sql.run("DELETE FROM runtime_upkeep");
        sql.run("INSERT INTO runtime_upkeep (at) VALUES (?)", [at]);
      }),
  };
}

function forgetSession(sql: StoreSql, session: string): void {
  for (const table of ["runtime_intent", "runtime_approval", "runtime_queue", "runtime_cancel"])
    sql.run(`DELETE FROM ${table} WHERE session = ?`, [session]);
  sql.run("DELETE FROM runtime_rule WHERE scope = 'session' AND scope_key = ?", [session]);
}

function insertIntent(sql: StoreSql, intent: Intent): void {
  const { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt } = intent;
  sql.run(
    `INSERT INTO runtime_intent (call_key, session, run, tool_call, tool, level, digest, started_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt],
  );
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

function approvalsOn(sql: StoreSql): SyncApprovalStore {
  const get = (id: string): ApprovalRecord | undefined =>
    recordOf(sql.get(`SELECT ${APPROVAL_COLUMNS} FROM runtime_approval WHERE id = ?`, [id]));
  const keep = <T extends { readonly ok: boolean; readonly record?: ApprovalRecord | undefined }>(
    result: T,
  ): T => {
    if (result.ok && result.record) write(sql, result.record);
    return result;
  };
  return {
    name: "approval store",
    put(record) {
      const { approvalId, callKey, sessionId = null, state, createdAt, expiresAt } = record;
      sql.run(
        `INSERT INTO runtime_approval (id, call_key, session, state, created_at, expires_at, record)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [approvalId, callKey, sessionId, state, createdAt, expiresAt, approvalText(record)],
      );
    },
    get,
    list: (filter = {}) => listRecords(sql, filter),
    resolve: (id, resolution) => keep(resolveApproval(get(id), resolution)),
    redeem(redemption) {
      const newest = sql.get(
        `SELECT ${APPROVAL_COLUMNS} FROM runtime_approval WHERE call_key = ? ORDER BY created_at DESC, rowid DESC LIMIT 1`,
        [redemption.callKey],
      );
      return keep(redeemApproval(recordOf(newest), redemption));
    },
  };
}

function write(sql: StoreSql, record: ApprovalRecord): void {
  sql.run("UPDATE runtime_approval SET state = ?, record = ? WHERE id = ?", [
    record.state,
    approvalText(record),
    record.approvalId,
  ]);
}

function listRecords(
  sql: StoreSql,
  { callKey, sessionId, state }: ApprovalFilter,
): readonly ApprovalRecord[] {
  const wanted: Readonly<Record<string, string | undefined>> = {
    call_key: callKey,
    session: sessionId,
    state,
  };
  const given = Object.entries(wanted).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const where = given.length === 0 ? "" : `WHERE ${given.map(([column]) => `${column} = ?`).join(" AND ")}`;
  return sql
    .all(
      `SELECT ${APPROVAL_COLUMNS} FROM runtime_approval ${where} ORDER BY created_at, rowid`,
      given.map(([, value]) => value),
    )
    .map(approvalOf);
}

function recordOf(row: SqlRow | undefined): ApprovalRecord | undefined {
  return row === undefined ? undefined : approvalOf(row);
}
