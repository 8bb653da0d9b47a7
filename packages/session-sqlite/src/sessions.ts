import type { SessionRecord, SessionStore } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import {
  type CreatePlan,
  checkName,
  conditions,
  isSameCreation,
  pageLimit,
  pageOf,
  planCreate,
  planState,
} from "@mobkit/session/rules";
import { findMember, freeName, requireFreeName, seatMember } from "./members.ts";
import { pack } from "./packed-text.ts";
import { stateNumber } from "./rows.ts";
import { findSession, insertSession, requireSession, updateSession } from "./session-rows.ts";
import { selectSessions, storedSession } from "./session-select.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** Sessions as such: created, listed, moved between states. */
export function sqliteSessions<M>(
  context: StoreContext<M>,
): Pick<SessionStore<M>, "createSession" | "head" | "listSessions" | "setState"> {
  const { connection, commits, clock } = context;
  return {
    async createSession(request) {
      const plan = planCreate(request, clock.now());
      return commits.submit(() => createOnce(connection, plan), request.signal);
    },
    head: (sessionId, options = {}) =>
      connection.look(() => requireSession(connection, sessionId).record, options.signal),
    async listSessions(request = {}) {
      const limit = pageLimit(request);
      const after = request.after === undefined ? undefined : pack(checkName("after", request.after));
      const where = conditions(
        [
          request.state === undefined
            ? ["state <>", stateNumber("tombstone")]
            : ["state =", stateNumber(request.state)],
          ["id >", after],
        ],
        () => "?",
      );
      const rows = await connection.look(
        () =>
          connection
            .statement(selectSessions(`${where.sql} ORDER BY id LIMIT ?`))
            .all(...where.values, limit + 1),
        request.signal,
      );
      const records = rows.map((row) => storedSession(row).record);
      return pageOf(records, { limit, cursor: ({ id }) => id });
    },
    async setState(sessionId, request) {
      return commits.submit(() => {
        const { key, record } = requireSession(connection, sessionId);
        const next = planState(record, request.state, clock.now());
        if (next === undefined) return record;
        if (next.binding === null && record.binding !== null) freeName(connection, record.binding.member);
        updateSession(connection, key, next);
        return next;
      }, request.signal);
    },
  };
}

function createOnce(connection: StoreConnection, plan: CreatePlan): SessionRecord {
  const found = findSession(connection, plan.session.id);
  if (found !== undefined) return sameOrRefuse(connection, found.record, plan);
  requireFreeName(connection, plan.member.member);
  seatMember(connection, insertSession(connection, plan.session), plan.member);
  return plan.session;
}

function sameOrRefuse(connection: StoreConnection, session: SessionRecord, plan: CreatePlan): SessionRecord {
  const member = findMember(connection, plan.member.member);
  if (member !== undefined && isSameCreation({ session, member }, plan)) return session;
  throw new SessionError("session_exists", `there is a session ${session.id} with other contents`, {
    details: { sessionId: session.id },
  });
}
