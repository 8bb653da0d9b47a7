import type { MemberRecord, MemberRegistry, NameHolder } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { checkName, integerOf, memberOfRow, packFilled, pageLimit, pageOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { pack, packName, packOptional, sortableBytes } from "./packed-text.ts";
import { identityOf, textOf, packedForm } from "./rows.ts";
import { sessionOfKey, updateSession } from "./session-rows.ts";
import { timeBeside, timeFrom } from "./short-times.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** A fork's child has its facts in its operation. */
export const memberColumns = `member.name, member.session, member.seated_at, session.id AS session_id,
  coalesce(member.role, fork_op.child_role) AS role, iif(member.role IS NULL, fork_op.child_labels, member.labels) AS labels,
  iif(member.role IS NULL, fork_op.agent_identity, member.agent_identity) AS agent_identity,
  iif(member.role IS NULL, fork_op.id, NULL) AS operation`;

/** Names with their sessions, and the operations that made them. */
export const membersWithForks = `member JOIN session ON session.key = member.session
  LEFT JOIN fork_op ON fork_op.session = member.session`;

const seated = `SELECT ${memberColumns} FROM ${membersWithForks} WHERE member.seated_at IS NOT NULL AND`;

/** The member registry of a store. */
export function sqliteMembers<M>({ connection, commits, clock }: StoreContext<M>): MemberRegistry {
  return {
    get: (member, options = {}) => connection.look(() => findMember(connection, member), options.signal),
    holder: (member, options = {}) => connection.look(() => holderOf(connection, member), options.signal),
    async list(request = {}) {
      const limit = pageLimit(request);
      const after = request.after === undefined ? "" : checkName("after", request.after);
      const rows = await connection.look(
        () =>
          connection
            .statement(`${seated} member.name > ? ORDER BY member.name LIMIT ?`)
            .all(sortableBytes(after), limit + 1),
        request.signal,
      );
      return pageOf(rows.map(memberOf), { limit, cursor: ({ member }) => member });
    },
    retire: (member, options = {}) =>
      commits.submit(() => retire(connection, member, clock.now()), options.signal),
  };
}

/** The seated member of a name; never a reservation. */
export function findMember(connection: StoreConnection, member: string): MemberRecord | undefined {
  const row = connection.statement(`${seated} member.name = ?`).get(packName(member));
  return row && memberOf(row);
}

/** Refuses a name that somebody has. @throws SessionError `member_already_exists`. */
export function requireFreeName(connection: StoreConnection, member: string): void {
  const found = holderOf(connection, member);
  if (found === undefined) return;
  const { holder } = found;
  throw new SessionError("member_already_exists", `the name ${member} is ${holder}`, {
    details: { member, holder },
  });
}

/** Keeps a free name for a fork's child that is committed and not yet seated. */
export function reserveName(connection: StoreConnection, member: string, child: number): void {
  connection.statement("INSERT INTO member (name, session) VALUES (?, ?)").run(sortableBytes(member), child);
}

/** Keeps another free name for it, in place of the first. */
export function renameReservation(connection: StoreConnection, from: string, to: string): void {
  connection
    .statement("UPDATE member SET name = ? WHERE name = ?")
    .run(sortableBytes(to), sortableBytes(from));
}

/** Seats a fork's child on its reservation. */
export function seatReservation(
  connection: StoreConnection,
  { member, sessionId, seatedAt }: MemberRecord,
): void {
  connection
    .statement("UPDATE member SET seated_at = ? WHERE name = ?")
    .run(timeBeside(sessionId, seatedAt), sortableBytes(member));
}

/** Frees a name. */
export function freeName(connection: StoreConnection, member: string): void {
  connection.statement("DELETE FROM member WHERE name = ?").run(sortableBytes(member));
}

/** Seats a member that no fork made, on a free name. */
export function seatMember(connection: StoreConnection, session: number, member: MemberRecord): void {
  connection
    .statement(
      "INSERT INTO member (name, session, role, labels, agent_identity, seated_at) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(
      sortableBytes(member.member),
      session,
      pack(member.role),
      packFilled(member.labels),
      packOptional(member.agentIdentity),
      timeBeside(member.sessionId, member.seatedAt),
    );
}

function holderOf(connection: StoreConnection, member: string): NameHolder | undefined {
  const row = connection
    .statement(
      `SELECT session.id AS session_id, member.seated_at, fork_op.id AS operation FROM ${membersWithForks} WHERE member.name = ?`,
    )
    .get(packName(member));
  if (row === undefined) return undefined;
  if (row["seated_at"] !== null)
    return Object.freeze({ holder: "seated", sessionId: textOf(row, "session_id") });
  return Object.freeze({ holder: "reserved", operationId: textOf(row, "operation") });
}

function retire(connection: StoreConnection, member: string, now: number): MemberRecord {
  const row = connection.statement(`${seated} member.name = ?`).get(packName(member));
  if (row === undefined) {
    throw new SessionError("unknown_member", `there is no member ${member}`, { details: { member } });
  }
  const { key, record } = sessionOfKey(connection, integerOf(row, "session"));
  freeName(connection, member);
  updateSession(connection, key, Object.freeze({ ...record, binding: null, updatedAt: now }));
  return memberOf(row);
}

/** A row of `memberColumns` as a frozen record. */
export function memberOf(row: SqlRow): MemberRecord {
  const seatedAt = timeFrom(textOf(row, "session_id"), integerOf(row, "seated_at"));
  return memberOfRow(
    { ...row, seated_at: seatedAt, agent_identity: identityOf(row, row["name"]!) },
    packedForm,
  );
}
