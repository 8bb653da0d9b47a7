/** From an empty file to version 1. */
export const schemaVersion1: string = `
  CREATE TABLE store_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE store_extension (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE store_opener (
    id TEXT PRIMARY KEY,
    host_id TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid INTEGER NOT NULL,
    opened_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

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
    head_digest ANY NOT NULL,
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
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE span (
    session INTEGER NOT NULL,
    start INTEGER NOT NULL,
    writer INTEGER NOT NULL,
    lo INTEGER NOT NULL,
    PRIMARY KEY (session, start)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE turn (
    session INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    id ANY NOT NULL,
    resumed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, first_seq),
    UNIQUE (session, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE message (
    log INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    position INTEGER,
    id ANY NOT NULL,
    turn INTEGER,
    kind INTEGER NOT NULL,
    digest ANY NOT NULL,
    open_after INTEGER NOT NULL,
    usage_after TEXT,
    rev INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    salt ANY,
    blob ANY,
    body TEXT,
    UNIQUE (session, seq)
  ) STRICT;
  CREATE INDEX message_by_id ON message (session, id);
  CREATE TABLE context_mark (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    summarises INTEGER NOT NULL,
    keep_from INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE cancel_mark (
    session INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    from_len INTEGER NOT NULL,
    to_len INTEGER NOT NULL,
    digest ANY NOT NULL,
    reason ANY NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session, rev)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE side_value (
    key INTEGER PRIMARY KEY,
    on_fork TEXT NOT NULL,
    value TEXT NOT NULL,
    position INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE side_state (
    session INTEGER NOT NULL,
    kind ANY NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (session, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE write_id (
    session INTEGER NOT NULL,
    id ANY NOT NULL,
    ordinal INTEGER NOT NULL,
    digest ANY NOT NULL,
    result TEXT NOT NULL,
    PRIMARY KEY (session, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE blob (
    digest ANY NOT NULL UNIQUE,
    bytes INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    content BLOB NOT NULL
  ) STRICT;
  CREATE TABLE blob_ref (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    digest ANY NOT NULL,
    PRIMARY KEY (session, seq, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_ref_by_digest ON blob_ref (digest);
  CREATE TABLE blob_gone (digest ANY PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TRIGGER blob_deleted AFTER DELETE ON blob
    WHEN EXISTS (SELECT 1 FROM blob_ref WHERE digest = old.digest)
    BEGIN INSERT INTO blob_gone (digest) VALUES (old.digest) ON CONFLICT DO NOTHING; END;
  CREATE TRIGGER blob_restored AFTER INSERT ON blob BEGIN DELETE FROM blob_gone WHERE digest = new.digest; END;

  CREATE TABLE member (
    name BLOB PRIMARY KEY,
    session INTEGER,
    operation ANY,
    role ANY,
    labels TEXT,
    agent_identity ANY,
    seated_at INTEGER,
    CHECK ((session IS NULL) = (seated_at IS NULL) AND (session IS NOT NULL OR operation IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE fork_op (
    session INTEGER PRIMARY KEY,
    id ANY NOT NULL UNIQUE,
    state TEXT NOT NULL,
    idempotency_key ANY UNIQUE,
    request_digest ANY NOT NULL,
    request TEXT NOT NULL,
    source_member BLOB NOT NULL,
    source_session INTEGER NOT NULL,
    source_len INTEGER NOT NULL,
    source_digest ANY NOT NULL,
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
  CREATE INDEX fork_op_committed ON fork_op (id) WHERE state = 'committed';
  CREATE TABLE outbox (
    entry INTEGER PRIMARY KEY,
    key ANY NOT NULL UNIQUE,
    session INTEGER NOT NULL,
    kind ANY NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    consumed_at INTEGER
  ) STRICT;
  CREATE INDEX outbox_waiting ON outbox (session) WHERE consumed_at IS NULL;
  `;
