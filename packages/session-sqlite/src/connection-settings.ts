/**
 * How long SQLite itself may block the event loop on a lock before the store waits with a timer instead.
 * Short: another process holds the lock for about one sync.
 */
const blockingWaitMs = 5;

/** What every connection is set to. What is deleted is overwritten, so that a redaction leaves nothing in the file. The log is cut back to 64 MiB when it has grown beyond. */
export const connectionSettings: readonly string[] = [
  `busy_timeout = ${blockingWaitMs}`,
  "synchronous = FULL",
  "foreign_keys = ON",
  "secure_delete = ON",
  "trusted_schema = OFF",
  "temp_store = MEMORY",
  "journal_size_limit = 67108864",
];
