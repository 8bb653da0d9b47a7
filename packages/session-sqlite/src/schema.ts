import { schemaVersion1 } from "./schema-version-1.ts";
import { schemaVersion2 } from "./schema-version-2.ts";
import { schemaVersion3 } from "./schema-version-3.ts";
import { schemaVersion4 } from "./schema-version-4.ts";

/**
 * The schema by version: script n brings a file from version n - 1 to n. Scripts are only ever added.
 *
 * Ids, digests and free texts stand in `ANY` columns in the form of `pack`. A session is known inside the file by its
 * number `key`; a session's row is never deleted (a tombstone stays), so no number is used twice. A span ends where the
 * next one starts, or at the session's length, so an append writes no span. A message's `turn` is the number of the
 * turn's first row; `resumed` tells that rows of the turn stand behind a later turn's first. `position` is null where it equals `seq`.
 * `blob_gone` holds digests that rows refer to and that are lost, so that a fork need not look at every reference.
 * `message_dead` holds rows that a collection found unreachable, `blob_mark` blobs that nothing referred to, each since when.
 * `message_copy` names the row that a rebase copied a row from; a copy of a copy names the first one.
 * What an operation says of its source's prefix is what its child's session says of its parent. A session without a
 * `head_digest` still ends where its parent's prefix does; without a `parent_digest` that prefix has the digest of its last
 * row. A `parent_id` that is a number is a session of this file. A member without a `role` is a fork's child: its operation tells
 * role, labels and identity, and its name is reserved until it has a `seated_at`. An event without a `key` is a fork's
 * own: its operation notes its entry, and tells its payload unless one is written.
 * A fork's child names itself by the `agent_identity` 1. Times below zero count from the time in the id of their row: the
 * message's, the session's (its member's too), the operation's (its events' too).
 * JSON is text, usage the JSON array of its four counts (null for none). Times are milliseconds since the epoch.
 */
export const schemaVersions: readonly string[] = [
  schemaVersion1,
  schemaVersion2,
  schemaVersion3,
  schemaVersion4,
];
