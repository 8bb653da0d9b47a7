import type { ApprovalFilter, ApprovalRecord, ApprovalStore } from "@basis/approval";
import { redeemApproval, resolveApproval } from "@basis/approval/store";
import type { PostgresTransaction, SqlRow, SqlValue, StoreExtension } from "@mobkit/session-postgres";
import { APPROVAL_COLUMNS, approvalOf, approvalText } from "../approval-row.ts";

type Sql = PostgresTransaction["sql"];

/** Parked approvals in the host's tables: an answer given on one machine is used up on any other, once. */
export function postgresApprovals(extension: StoreExtension): ApprovalStore {
  return {
    name: "approval store",
    async put(record) {
      const kept = await extension.statement(PUT, cellsOf(record));
      if (kept.length === 0) throw new Error(`approval ${record.approvalId} is there already`);
    },
    get: async (id) => recordOf((await extension.statement(GET, [id]))[0]),
    list: (filter) => listRecords(extension, filter),
    resolve: (id, resolution) =>
      extension.transaction(async ({ sql }) => {
        const result = resolveApproval(recordOf(await sql.get(`${GET} FOR UPDATE`, [id])), resolution);
        if (result.ok) await writeApproval(sql, result.record);
        return result;
      }),
    redeem: (redemption) =>
      extension.transaction(async ({ sql }) => {
        const result = redeemApproval(await newestApproval(sql, redemption.callKey), redemption);
        if (result.ok) await writeApproval(sql, result.record);
        return result;
      }),
  };
}

const GET = `SELECT ${APPROVAL_COLUMNS} FROM runtime_approval WHERE id = $1`;

/** Answers a row when it is kept, also when a lost reply makes it be sent again. */
const PUT = `INSERT INTO runtime_approval (id, call_key, session, state, created_at, expires_at, record)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET record = excluded.record WHERE runtime_approval.record = excluded.record RETURNING id`;

function cellsOf(record: ApprovalRecord): SqlValue[] {
  const { approvalId, callKey, sessionId = null, state, createdAt, expiresAt } = record;
  return [approvalId, callKey, sessionId, state, createdAt, expiresAt, approvalText(record)];
}

/** The newest question about a call, kept from everybody else until the transaction ends. */
export async function newestApproval(sql: Sql, callKey: string): Promise<ApprovalRecord | undefined> {
  const newest = `SELECT ${APPROVAL_COLUMNS} FROM runtime_approval WHERE call_key = $1
    ORDER BY created_at DESC, number DESC LIMIT 1 FOR UPDATE`;
  return recordOf(await sql.get(newest, [callKey]));
}

/** Puts a question in its place. */
export async function writeApproval(sql: Sql, record: ApprovalRecord | undefined): Promise<void> {
  if (record === undefined) return;
  await sql.run("UPDATE runtime_approval SET state = $2, record = $3 WHERE id = $1", [
    record.approvalId,
    record.state,
    approvalText(record),
  ]);
}

async function listRecords(
  extension: StoreExtension,
  { callKey, sessionId, state }: ApprovalFilter = {},
): Promise<readonly ApprovalRecord[]> {
  const wanted = { call_key: callKey, session: sessionId, state };
  const given = Object.entries(wanted).filter(
    (entry): entry is [string, NonNullable<typeof state>] => entry[1] !== undefined,
  );
  const where = given.map(([column], at) => `${column} = $${at + 1}`).join(" AND ") || "true";
  const rows = await extension.statement(
    `SELECT ${APPROVAL_COLUMNS} FROM runtime_approval WHERE ${where} ORDER BY created_at, number`,
    given.map(([, value]) => value),
  );
  return rows.map(approvalOf);
}

function recordOf(row: SqlRow | undefined): ApprovalRecord | undefined {
  return row && approvalOf(row);
}
