/** A row of a host's table by column. */
export type TableRow = Readonly<Record<string, string | number | null>>;

/** The host's own tables that belong to sessions for good, and their columns; they are the same in every kind of store. */
export const movedTables = {
  runtime_intent: [
    "call_key",
    "session",
    "run",
    "tool_call",
    "tool",
    "level",
    "digest",
    "started_at",
    "finished_at",
  ],
  runtime_approval: ["id", "call_key", "session", "state", "created_at", "expires_at", "record"],
  runtime_rule: [
    "id",
    "tool",
    "effect",
    "scope",
    "scope_key",
    "created_at",
    "expires_at",
    "revoked_at",
    "rule",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** One of those tables. */
export type MovedTable = keyof typeof movedTables;

/** The names of those tables. */
export const movedTableNames: readonly MovedTable[] = Object.keys(movedTables) as MovedTable[];

/** The host's own tables as rows, for taking a whole state into another one. */
export interface HostTables {
  /** Rows in the order in which they were added, in pages. */
  rows(table: MovedTable): AsyncIterable<TableRow>;
  /** Adds rows; those that are there already are left as they are. */
  add(table: MovedTable, rows: readonly TableRow[]): Promise<void>;
  /** Where the state is being moved from, as long as that is not done. */
  movedFrom(): Promise<string | undefined>;
  /** Notes that it is; undefined: that it is done. */
  noteMove(source: string | undefined): Promise<void>;
}
