import { integerOf } from "@mobkit/session/rules";
import { quoted } from "./connect-options.ts";
import { textOf } from "./rows.ts";
import { pause } from "./pause.ts";
import type { Server } from "./server.ts";
import type { Sql } from "./sql.ts";

/** What a redaction writes to. */
const redacted = ["message", "blob", "outbox", "side_value", "fork_op", "write_id", "cancel_mark"];

/**
 * Has the server clear the replaced versions of rows out of the tables; false when somebody may still read them or the
 * server would not. On a connection of its own: clearing takes as long as it takes.
 */
export async function purge(server: Server, tables: readonly string[] = redacted): Promise<boolean> {
  try {
    const { connection } = await server.acquireApart();
    try {
      const isUnread = await waitForReaders(connection, performance.now() + server.options.busyTimeoutMs);
      await connection.command(`VACUUM ${tables.map(quoted).join(", ")}`);
      return isUnread;
    } finally {
      connection.release();
    }
  } catch {
    return false;
  }
}

/** Until every snapshot of before has ended: older ones still see the rows that were replaced. */
async function waitForReaders(sql: Sql, until: number): Promise<boolean> {
  const [now] = await sql.query("SELECT pg_snapshot_xmax(pg_current_snapshot())::xid::text AS next");
  for (let tries = 0; ; tries += 1) {
    const [row] = await sql.query(
      `SELECT count(*) AS readers FROM pg_stat_activity WHERE backend_xmin IS NOT NULL
       AND pid <> pg_backend_pid() AND age(backend_xmin) > age($1::text::xid)`,
      [textOf(now!, "next")],
    );
    if (integerOf(row!, "readers") === 0) return true;
    if (performance.now() >= until) return false;
    await pause(tries);
  }
}
