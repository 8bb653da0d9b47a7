import { sessionOfRow, type ColumnForm } from "@mobkit/session/rules";
import type { SqlRow, SqlValue } from "./driver.ts";
import type { StoredSession } from "./known-records.ts";
import { fromSortableBytes, spelled, unpackSpelled } from "./packed-text.ts";
import { packedForm } from "./rows.ts";
import { timeFrom } from "./short-times.ts";

/** SQL for the digest of the prefix that a session has from its parent: the last inherited row's unless it is written. */
export function parentDigest(session: string): string {
  return `iif(${session}.parent_digest IS NULL AND ${session}.parent_id IS NOT NULL,
    (SELECT digest FROM (SELECT writer, lo + ${session}.parent_len - 1 - start AS place FROM span
       WHERE span.session = ${session}.key AND start < ${session}.parent_len ORDER BY start DESC LIMIT 1)
     JOIN message ON message.session = writer AND seq = place), ${session}.parent_digest)`;
}

const parentId = `iif(typeof(parent_id) = 'integer',
  (SELECT id FROM session AS parent WHERE parent.key = session.parent_id), parent_id)`;

const plain =
  `state base_len len settled_len open_calls next_seq rev queued_inputs pending_approvals lease_epoch
  lease_expires_at own_usage inherited_usage parent_len spawned_by created_at updated_at`.split(/\s+/);
const packed = ["id", "member", "head_digest", "run_turn", "lease_owner", "request_head"];

const members = [
  ...plain.map((column) => `'${column}', ${column}`),
  ...packed.map((column) => `'${column}', ${spelled(column)}`),
  `'parent_id', ${spelled("parent_session")}`,
  `'parent_digest', ${spelled("prefix_digest")}`,
];

/**
 * Sessions as `storedSession` reads them, each as one JSON text, since a driver charges for every column; `where` may
 * sort and limit them.
 */
export function selectSessions(where: string): string {
  return `SELECT key, json_object(${members.join(", ")}) AS facts FROM
    (SELECT *, ${parentId} AS parent_session, ${parentDigest("session")} AS prefix_digest FROM session WHERE ${where})`;
}

/** How the texts of such a row are read. */
const spelledForm: ColumnForm<SqlValue> = Object.freeze({
  ...packedForm,
  readText: (value: unknown) => unpackSpelled(value as string),
  readName: (value: unknown) => fromSortableBytes(Buffer.from((value as string).slice(1), "hex")),
});

/** A row of `selectSessions` as a frozen record. */
export function storedSession(row: SqlRow): StoredSession {
  const facts = JSON.parse(row["facts"] as string) as Record<string, SqlValue>;
  const id = unpackSpelled(facts["id"] as string);
  const record = sessionOfRow(
    {
      ...facts,
      head_digest: facts["head_digest"] ?? facts["parent_digest"],
      created_at: timeFrom(id, facts["created_at"] as number),
      updated_at: timeFrom(id, facts["updated_at"] as number),
    },
    spelledForm,
  );
  return { key: row["key"] as number, record };
}
