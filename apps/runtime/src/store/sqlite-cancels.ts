import type { StoreExtension } from "@mobkit/session-sqlite";
import type { CancelRequests } from "./host-ledger.ts";

/** Cancels that were asked for, in the store's own file, where every process that runs turns sees them. */
export function sqliteCancels(extension: StoreExtension): CancelRequests {
  return {
    ask: ({ runId, sessionId, at }) =>
      extension.transaction(({ sql }) => {
        sql.run("INSERT OR IGNORE INTO runtime_cancel (run, session, asked_at) VALUES (?, ?, ?)", [
          runId,
          sessionId,
          at,
        ]);
      }),
    asked: () =>
      extension.read(({ sql }) => sql.all("SELECT run FROM runtime_cancel").map(({ run }) => String(run))),
    settle: (runId) =>
      extension.transaction(({ sql }) => {
        sql.run("DELETE FROM runtime_cancel WHERE run = ?", [runId]);
      }),
  };
}
