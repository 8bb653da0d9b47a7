import type { WorkCounts, WorkRequest } from "@mobkit/session";
import { nextWork, sessionUnavailable } from "@mobkit/session/rules";
import type { PostgresTransaction } from "./lent-sql.ts";
import { tell } from "./notices.ts";
import { requireSession, updateSession } from "./session-rows.ts";
import type { Sql } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { recallWrite, rememberWrite } from "./write-ids.ts";

/** Changes the counts of waiting work, under the session's row lock. */
export async function adjustOnce<M>(
  { server }: StoreContext<M>,
  sql: Sql,
  asked: {
    readonly sessionId: string;
    readonly request: WorkRequest<PostgresTransaction>;
    readonly digest: string;
  },
): Promise<Decision<WorkCounts>> {
  const { sessionId, request, digest } = asked;
  const repeatable = request.writeId === undefined ? undefined : { id: request.writeId, digest };
  const [session, first] = await Promise.all([
    requireSession(sql, sessionId, "write"),
    repeatable && recallWrite(sql, sessionId, repeatable),
  ]);
  if (first) return { answer: first as unknown as WorkCounts, writes: [] };
  if (session.record.state !== "ready") throw sessionUnavailable(session.record);
  const counts = Object.freeze(nextWork(session.record, request));
  const next = { ...session.record, ...counts };
  const remembered = repeatable ? [rememberWrite(session.key, { ...repeatable, result: counts })] : [];
  const writes = [updateSession(session.key, next), ...remembered, tell(server.options.schema, next)];
  return { answer: counts, writes, join: request.join };
}
