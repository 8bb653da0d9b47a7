import { forkEventKinds } from "./fork-events.ts";

/** From version 2 to 3: a fork is fewer and shorter rows. What its operation or its parent says is not said again. */
export const schemaVersion3: string = `
  ALTER TABLE session RENAME TO session_of_version_2;
  CREATE TABLE session (
    key INTEGER PRIMARY KEY,
    id ANY NOT NULL UNIQUE,
    state INTEGER NOT NULL,
    member BLOB,
    base_len INTEGER NOT NULL,
    len INTEGER NOT NULL,
    settled_len INTEGER NOT NULL,
    open_calls TEXT,
    next_seq INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    head_digest ANY,
    run_turn ANY,
    queued_inputs INTEGER NOT NULL,
    pending_approvals INTEGER NOT NULL,
    lease_epoch INTEGER NOT NULL,
    lease_owner ANY,
    lease_expires_at INTEGER,
    request_head ANY,
    own_usage TEXT,
    inherited_usage TEXT,
    parent_id ANY,
    parent_len INTEGER,
    parent_digest ANY,
    spawned_by TEXT,
    write_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (head_digest IS NOT NULL OR parent_digest IS NOT NULL)
  ) STRICT;
  INSERT INTO session SELECT * FROM session_of_version_2;
  DROP TABLE session_of_version_2;

  ALTER TABLE member RENAME TO member_of_version_2;
  CREATE TABLE member (
    name BLOB PRIMARY KEY,
    session INTEGER NOT NULL,
    role ANY,
    labels TEXT,
    agent_identity ANY,
    seated_at INTEGER
  ) STRICT, WITHOUT ROWID;
  INSERT INTO member SELECT old.name, fork_op.session, NULL, NULL, NULL, old.seated_at
    FROM member_of_version_2 AS old JOIN fork_op ON fork_op.id = old.operation;
  INSERT INTO member SELECT name, session, role, labels, agent_identity, seated_at FROM member_of_version_2 AS old
    WHERE session IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fork_op WHERE fork_op.id = old.operation);
  DROP TABLE member_of_version_2;

  ALTER TABLE outbox RENAME TO outbox_of_version_2;
  DROP INDEX outbox_waiting;
  CREATE TABLE outbox (
    entry INTEGER PRIMARY KEY,
    key ANY,
    session INTEGER NOT NULL,
    kind ANY NOT NULL,
    payload TEXT,
    created_at INTEGER NOT NULL,
    consumed_at INTEGER
  ) STRICT;
  INSERT INTO outbox SELECT old.entry, iif(fork_op.session IS NULL, old.key, NULL), old.session,
      iif(fork_op.session IS NULL, old.kind, ${kindNumber("old.kind")}),
      iif(old.consumed_at IS NULL, old.payload, NULL), old.created_at, old.consumed_at
    FROM outbox_of_version_2 AS old LEFT JOIN fork_op ON fork_op.session = old.session
      AND ${kindNumber("old.kind")} IS NOT NULL AND typeof(old.key) = 'blob'
      AND substr(hex(old.key), 3) = substr(hex(fork_op.id), 3);
  DROP TABLE outbox_of_version_2;
  CREATE UNIQUE INDEX outbox_by_key ON outbox (key) WHERE key IS NOT NULL;
  CREATE INDEX outbox_waiting ON outbox (session) WHERE consumed_at IS NULL AND key IS NOT NULL;

  ALTER TABLE fork_op ADD COLUMN first_event INTEGER;
  ALTER TABLE fork_op ADD COLUMN last_event INTEGER;
  UPDATE fork_op SET first_event = own.entry FROM outbox AS own
    WHERE own.key IS NULL AND own.kind = 1 AND own.session = fork_op.session;
  UPDATE fork_op SET last_event = own.entry FROM outbox AS own
    WHERE own.key IS NULL AND own.kind > 1 AND own.session = fork_op.session;
  `;

/** The number of a kind that a fork's own event has; null for any other. */
function kindNumber(column: string): string {
  const cases = forkEventKinds.map((kind, index) => `WHEN '${kind}' THEN ${index + 1}`);
  return `CASE ${column} ${cases.join(" ")} END`;
}
