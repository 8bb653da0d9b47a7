import { pause } from "./pause.ts";
import type { Backend } from "./connection.ts";
import type { Server } from "./server.ts";
import { sqlFailure } from "./sql-failure.ts";
import type { SqlRow, SqlStatement } from "./sql.ts";
import { statement } from "./sql.ts";

/** A commit whose reply was lost. */
export interface LostCommit {
  /** Stored in the transaction, if it happened. */
  readonly commitId: string;
  readonly backend: Backend;
  /** What the call answers, if it happened. */
  readonly answer: unknown;
}

/** The connection was lost at a commit: nobody knows yet whether it happened. */
export class AmbiguousCommit extends Error {
  readonly commit: LostCommit;

  constructor(commit: LostCommit, cause: unknown) {
    super("the connection was lost at the commit", { cause });
    this.name = "AmbiguousCommit";
    this.commit = commit;
  }
}

/** Writes the id by which a lost commit is looked up, in the commit's own transaction. */
export function markCommit(commitId: string): SqlStatement {
  return statement(
    "INSERT INTO commit_mark (id, made_at) VALUES ($1, (extract(epoch FROM now()) * 1000)::bigint)",
    commitId,
  );
}

/** What is older than this can't be asked for any more. */
const forgetAfterMs = 3_600_000;

/** Forgets old commits; nobody waits for their outcome. */
export const forgetCommits: SqlStatement = statement(
  `DELETE FROM commit_mark WHERE made_at < (extract(epoch FROM now()) * 1000)::bigint - ${forgetAfterMs}`,
);

/**
 * Whether a transaction happened whose reply was lost, asked on a fresh connection. The lost connection's process is
 * ended first and waited for: until it is gone, "not there" might mean "not yet".
 */
export async function lookUpCommit(
  server: Server,
  lost: LostCommit,
): Promise<"committed" | "absent" | "unknown"> {
  const until = performance.now() + server.options.reconnectMs;
  for (let tries = 0; ; tries += 1) {
    try {
      const found = await ask(server, lost);
      if (found !== undefined) return found ? "committed" : "absent";
    } catch (error) {
      const failure = sqlFailure(error);
      if (failure !== "lost" && failure !== "unreachable" && failure !== "waited") return "unknown";
    }
    if (performance.now() >= until) return "unknown";
    await pause(tries);
  }
}

const endBackend = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND backend_start = $2::timestamptz AND pid <> pg_backend_pid()`;
const seeBackend = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz";

/** True or false once it is certain; undefined while the old process still runs. */
async function ask(server: Server, { commitId, backend }: LostCommit): Promise<boolean | undefined> {
  const { connection } = await server.acquireApart();
  try {
    const process = [backend.pid, backend.startedAt];
    await connection.query(endBackend, process).catch(quietRefusal);
    const running = (await connection.query(seeBackend, process)).length > 0;
    const marks = await connection.query("SELECT 1 FROM commit_mark WHERE id = $1", [commitId]);
    if (marks.length > 0) return true;
    return running ? undefined : false;
  } finally {
    connection.release();
  }
}

/** Without the right to end it the process ends by itself, once it sees that its client has gone. */
function quietRefusal(error: unknown): readonly SqlRow[] {
  if (sqlFailure(error) === "refused") return [];
  throw error;
}
