import { SessionError } from "@mobkit/session";
import type { PreparedWrite, WriteMoment, WritePlan } from "@mobkit/session/rules";
import { holdBlobs, referToBlobs } from "./blobs.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import { addCancelMark, addContextMark } from "./marks.ts";
import { boundaryRow, positionOf } from "./messages.ts";
import { consumeEvents } from "./outbox.ts";
import type { StoredSession } from "./session-rows.ts";
import { writeSideStates } from "./side-states.ts";
import type { Sql, SqlStatement } from "./sql.ts";

type JoinedWrite = PreparedWrite<PostgresTransaction>;

/** True for a write that can't be decided on the session's row alone. */
export function needsLookup({ change, messages, blobs, mark, cancel }: JoinedWrite): boolean {
  return (
    change.join !== undefined ||
    typeof change.requestHead === "string" ||
    (change.sideState ?? []).length > 0 ||
    (change.consumes ?? []).length > 0 ||
    blobs.length > 0 ||
    mark !== null ||
    cancel !== null ||
    messages.some(({ givenId }) => givenId)
  );
}

/** The rows that the decision depends on. */
export async function rowsBefore(
  sql: Sql,
  { spans }: StoredSession,
  prepared: JoinedWrite,
): Promise<Omit<WriteMoment, "now">> {
  const rowBefore = async (length: number | undefined) =>
    length === undefined || length === 0 ? undefined : boundaryRow(sql, spans, length);
  const [beforeCancel, beforeKept] = await Promise.all([
    rowBefore(prepared.cancel?.to),
    rowBefore(prepared.mark?.keepFrom),
  ]);
  return { beforeCancel, beforeKept };
}

/** Refuses ids of the caller's that the transcript holds. @throws SessionError `duplicate_message`. */
export async function refuseKnownIds(sql: Sql, session: StoredSession, prepared: JoinedWrite): Promise<void> {
  if (!prepared.messages.some(({ givenId }) => givenId)) return;
  const length = prepared.cancel?.to ?? session.record.len;
  const positions = await Promise.all(
    prepared.messages.map(({ id }) => positionOf(sql, session.spans, { messageId: id })),
  );
  for (const [index, position] of positions.entries()) {
    if (position === undefined || position >= length) continue;
    const { id } = prepared.messages[index]!;
    throw new SessionError("duplicate_message", `the transcript holds a message ${id} already`, {
      details: { index, id },
    });
  }
}

/** What a write changes beside the session's row and its rows. @throws SessionError `blob_missing`, `event_consumed`, `revision_conflict`. */
export async function persistBeside(
  sql: Sql,
  decided: { readonly key: number; readonly plan: WritePlan },
  { change, blobs }: JoinedWrite,
): Promise<readonly SqlStatement[]> {
  const { key, plan } = decided;
  const last = { key, seq: plan.session.nextSeq - 1 };
  const head = typeof change.requestHead === "string" ? [change.requestHead] : [];
  await holdBlobs(sql, [...blobs, ...head]);
  const [consumed, states] = [
    await consumeEvents(sql, change.consumes ?? [], plan.session.updatedAt),
    await writeSideStates(sql, { key, record: plan.session }, change.sideState ?? []),
  ];
  return [
    ...(plan.cancelMark ? [addCancelMark(key, plan.cancelMark)] : []),
    ...(plan.contextMark ? [addContextMark(last, plan.contextMark)] : []),
    ...(blobs.length > 0 ? [referToBlobs(last, blobs)] : []),
    ...consumed,
    ...states,
  ];
}
