import { forkEventKeys } from "./packed-text.ts";

/** From version 1 to 2: room for upkeep, shorter operations, packed keys of the store's own events. */
export const schemaVersion2: string = `
  CREATE TABLE message_dead (
    session INTEGER NOT NULL,
    lo INTEGER NOT NULL,
    hi INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (session, lo, hi)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE blob_mark (digest ANY PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE message_copy (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    origin_session INTEGER NOT NULL,
    origin_seq INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_copy_by_origin ON message_copy (origin_session, origin_seq);

  ALTER TABLE fork_op RENAME TO fork_op_of_version_1;
  CREATE TABLE fork_op (
    session INTEGER PRIMARY KEY,
    id ANY NOT NULL UNIQUE,
    state TEXT NOT NULL,
    idempotency_key ANY,
    request_digest ANY NOT NULL,
    request TEXT NOT NULL,
    source_member BLOB NOT NULL,
    source_session INTEGER NOT NULL,
    child_member BLOB NOT NULL,
    child_role ANY NOT NULL,
    child_labels TEXT,
    initial_message TEXT,
    side_state_reset TEXT,
    claim_epoch INTEGER NOT NULL,
    claim_owner ANY,
    claim_expires_at INTEGER,
    failure_reason ANY,
    failure_at INTEGER,
    agent_identity ANY,
    provision TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO fork_op SELECT session, id, state, idempotency_key, request_digest, request, source_member, source_session,
    child_member, child_role, child_labels, initial_message, side_state_reset, claim_epoch, claim_owner,
    claim_expires_at, failure_reason, failure_at, agent_identity, provision, created_at, updated_at
    FROM fork_op_of_version_1;
  DROP TABLE fork_op_of_version_1;
  CREATE UNIQUE INDEX fork_op_by_key ON fork_op (idempotency_key) WHERE idempotency_key IS NOT NULL;
  ${packedForkKeys()}
  `;

/** The keys of the store's own events, as `pack` keeps them since version 2. */
function packedForkKeys(): string {
  const hex = "[0-9a-f]";
  const uuid = [8, 4, 4, 4, 12].map((digits) => hex.repeat(digits)).join("-");
  return forkEventKeys
    .map(({ tag, prefix }) => {
      const digits = `replace(substr(key, ${prefix.length + 1}), '-', '')`;
      const packed = `unhex('${tag.toString(16).padStart(2, "0")}' || ${digits})`;
      return `UPDATE outbox SET key = ${packed} WHERE key GLOB '${prefix}${uuid}';`;
    })
    .join("\n  ");
}
