import type { ApprovalRecord } from "@basis/approval";
import { isJsonObject, type JsonObject } from "@basis/core";
import { secrets } from "../secrets/secrets.ts";

/** What a question is read from. */
export const APPROVAL_COLUMNS = "id, call_key, session, state, created_at, expires_at, record";

/**
 * A question as it is kept: without secrets, which a guard may have put into the call. What runs is made anew from the transcript
 * and held against the digest.
 */
export function approvalText(record: ApprovalRecord): string {
  const { input, preview, resolution } = record;
  return JSON.stringify({
    ...record,
    input: secrets.redactJson(input),
    ...(preview !== undefined && { preview: secrets.redactJson(preview) }),
    ...(resolution && { resolution: secrets.redactJson(resolution) }),
  });
}

/** A row's columns are what a question is found by: they must say what its text says. @throws Error naming the row. */
export function approvalOf(row: Readonly<Record<string, unknown>>): ApprovalRecord {
  let record: JsonObject & ApprovalRecord;
  try {
    record = JSON.parse(String(row["record"])) as JsonObject & ApprovalRecord;
  } catch (cause) {
    throw damaged(row, (cause as Error).message, cause);
  }
  if (!isJsonObject(record)) throw damaged(row, "its text is no question");
  const agree =
    record.approvalId === row["id"] &&
    record.callKey === row["call_key"] &&
    (record.sessionId ?? null) === row["session"] &&
    record.state === row["state"] &&
    record.createdAt === Number(row["created_at"]) &&
    record.expiresAt === Number(row["expires_at"]);
  if (!agree) throw damaged(row, "its columns and its text differ");
  return record;
}

function damaged(row: Readonly<Record<string, unknown>>, why: string, cause?: unknown): Error {
  const session = typeof row["session"] === "string" ? row["session"] : "SESSION";
  return new Error(
    `approval '${String(row["id"])}' of the store is damaged (${why}), so that nobody can answer it: delete its session with 'basis sessions rm ${session}'`,
    { cause },
  );
}
