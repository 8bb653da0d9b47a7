import { idKey } from "./packed-text.ts";

/** From version 3 to 4: what a row's id or its parent tells is not said again. Rows of before stay as they are. */
export const schemaVersion4: string = `
  DROP INDEX message_by_id;
  CREATE INDEX message_by_id ON message (session, ${idKey("id")});

  ALTER TABLE session RENAME TO session_of_version_3;
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
    CHECK (head_digest IS NOT NULL OR parent_id IS NOT NULL)
  ) STRICT;
  INSERT INTO session SELECT * FROM session_of_version_3;
  DROP TABLE session_of_version_3;
  `;
