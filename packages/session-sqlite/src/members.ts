import type { MemberRecord, MemberRegistry, NameHolder } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { checkName, integerOf, memberOfRow, packFilled, pageLimit, pageOf } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { pack, packName, packOptional, sortableBytes } from "./packed-text.ts";
import { optionalText, textOf, packedForm } from "./rows.ts";
import { sessionOfKey, updateSession } from "./session-rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

const seated = `SELECT member.*, session.id AS session_id FROM member JOIN session ON session.key = member.session`;

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
            .statement(`${seated} WHERE member.name > ? ORDER BY member.name LIMIT ?`)
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
  const row = connection.statement(`${seated} WHERE member.name = ?`).get(packName(member));
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

/** Keeps a free name for a fork that is committed and not yet seated. */
export function reserveName(connection: StoreConnection, member: string, operationId: string): void {
  connection
    .statement("INSERT INTO member (name, operation) VALUES (?, ?)")
    .run(sortableBytes(member), pack(operationId));
}

/** Frees a name. */
export function freeName(connection: StoreConnection, member: string): void {
  connection.statement("DELETE FROM member WHERE name = ?").run(sortableBytes(member));
}

/** Seats a member, on a free name or in place of its own reservation. */
export function seatMember(connection: StoreConnection, session: number, member: MemberRecord): void {
  connection
    .statement(
      `INSERT OR REPLACE INTO member (name, session, operation, role, labels, agent_identity, seated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      sortableBytes(member.member),
      session,
      packOptional(member.operationId),
      pack(member.role),
      packFilled(member.labels),
      packOptional(member.agentIdentity),
      member.seatedAt,
    );
}

function holderOf(connection: StoreConnection, member: string): NameHolder | undefined {
  const row = connection
    .statement(
      `SELECT session.id AS session_id, member.operation FROM member LEFT JOIN session ON session.key = member.session
       WHERE member.name = ?`,
    )
    .get(packName(member));
  if (row === undefined) return undefined;
  const sessionId = optionalText(row, "session_id");
  if (sessionId !== null) return Object.freeze({ holder: "seated", sessionId });
  return Object.freeze({ holder: "reserved", operationId: textOf(row, "operation") });
}

function retire(connection: StoreConnection, member: string, now: number): MemberRecord {
  const row = connection.statement(`${seated} WHERE member.name = ?`).get(packName(member));
  if (row === undefined) {
    throw new SessionError("unknown_member", `there is no member ${member}`, { details: { member } });
  }
  const { key, record } = sessionOfKey(connection, integerOf(row, "session"));
  freeName(connection, member);
  updateSession(connection, key, Object.freeze({ ...record, binding: null, updatedAt: now }));
  return memberOf(row);
}

function memberOf(row: SqlRow): MemberRecord {
  return memberOfRow(row, packedForm);
}
