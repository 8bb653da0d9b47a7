import type { SessionRecord, SessionStore } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import {
  type CreatePlan,
  checkName,
  conditions,
  integerOf,
  isSameCreation,
  pageLimit,
  pageOf,
  planCreate,
  planState,
} from "@mobkit/session/rules";
import { findMember, freeName, holderOf, insertMember, refuseHeldName } from "./members.ts";
import { tell } from "./notices.ts";
import {
  findSession,
  insertSession,
  nextKeySql,
  requireSession,
  storedSession,
  updateSession,
} from "./session-rows.ts";
import { nowColumn, type Sql } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";

/** Sessions as such: created, listed, moved between states. */
export function postgresSessions<M>(
  context: StoreContext<M>,
): Pick<SessionStore<M>, "createSession" | "head" | "listSessions" | "setState"> {
  const { transactions, cache, time, server } = context;
  const { schema } = server.options;
  return {
    async createSession(request) {
      // Once for what can be refused without the database; the ids of the real plan follow its clock.
      planCreate(request, time.estimate());
      return transactions.write((sql) => createOnce(context, sql, request), request.signal);
    },
    head: (sessionId, options = {}) =>
      transactions.read(async (sql) => (await requireSession(sql, sessionId)).record, options.signal),
    async listSessions(request = {}) {
      const limit = pageLimit(request);
      const after = request.after === undefined ? undefined : checkName("after", request.after);
      const where = conditions(
        [
          request.state === undefined ? ["state <>", "tombstone"] : ["state =", request.state],
          ["id >", after],
        ],
        (number) => `$${number}`,
      );
      const rows = await transactions.read(
        (sql) =>
          sql.query(
            `SELECT *, ${nowColumn} FROM session WHERE ${where.sql} ORDER BY id LIMIT $${where.values.length + 1}`,
            [...where.values, limit + 1],
          ),
        request.signal,
      );
      const records = rows.map((row) => storedSession(row).record);
      return pageOf(records, { limit, cursor: ({ id }) => id });
    },
    setState: (sessionId, request) =>
      transactions.write(async (sql) => {
        cache.forget(sessionId);
        const { key, record, nowMs } = await requireSession(sql, sessionId, "write");
        const next = planState(record, request.state, time.at(nowMs));
        if (next === undefined) return { answer: record, writes: [] };
        const unseated = next.binding === null && record.binding !== null;
        const freed = unseated ? [freeName(record.binding.member)] : [];
        return { answer: next, writes: [updateSession(key, next), ...freed, tell(schema, next)] };
      }, request.signal),
  };
}

async function createOnce<M>(
  { time, server }: StoreContext<M>,
  sql: Sql,
  request: Parameters<SessionStore<M>["createSession"]>[0],
): Promise<Decision<SessionRecord>> {
  const [[origin], found, holder] = await Promise.all([
    sql.query(nextKeySql),
    request.id === undefined ? undefined : findSession(sql, { id: request.id }),
    holderOf(sql, request.member),
  ]);
  const plan = planCreate(request, time.at(integerOf(origin!, "now_ms")));
  if (found !== undefined) return { answer: await sameOrRefuse(sql, found.record, plan), writes: [] };
  refuseHeldName(plan.member.member, holder);
  const key = integerOf(origin!, "key");
  const { schema } = server.options;
  const writes = [
    insertSession(key, plan.session),
    insertMember(key, plan.member),
    tell(schema, plan.session),
  ];
  return { answer: plan.session, writes };
}

async function sameOrRefuse(sql: Sql, session: SessionRecord, plan: CreatePlan): Promise<SessionRecord> {
  const member = await findMember(sql, plan.member.member);
  if (member !== undefined && isSameCreation({ session, member }, plan)) return session;
  throw new SessionError("session_exists", `there is a session ${session.id} with other contents`, {
    details: { sessionId: session.id },
  });
}
