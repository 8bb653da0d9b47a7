import type { MemberRecord, MemberRegistry, NameHolder } from "@mobkit/session";
import { SessionError } from "@mobkit/session";
import { checkName, integerOf, memberOfRow, packFilled, pageLimit, pageOf } from "@mobkit/session/rules";
import { optionalText, sortableBytes, textOf, plainForm } from "./rows.ts";
import { nowColumn, statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";

const seated = `SELECT member.*, session.id AS session_id, ${nowColumn}
  FROM member JOIN session ON session.key = member.session`;

/** The member registry of a store. */
export function postgresMembers<M>({ transactions, cache, time }: StoreContext<M>): MemberRegistry {
  return {
    get: (member, options = {}) => transactions.read((sql) => findMember(sql, member), options.signal),
    holder: (member, options = {}) => transactions.read((sql) => holderOf(sql, member), options.signal),
    async list(request = {}) {
      const limit = pageLimit(request);
      const after = request.after === undefined ? "" : checkName("after", request.after);
      const rows = await transactions.read(
        (sql) =>
          sql.query(`${seated} WHERE member.sort_key > $1 ORDER BY member.sort_key LIMIT $2`, [
            sortableBytes(after),
            limit + 1,
          ]),
        request.signal,
      );
      return pageOf(rows.map(memberOf), { limit, cursor: ({ member }) => member });
    },
    retire: (member, options = {}) =>
      transactions.write(async (sql) => {
        const rows = await sql.query(`${seated} WHERE member.name = $1 FOR UPDATE OF member`, [member]);
        const [row] = rows;
        if (row === undefined) throw unknownMember(member);
        cache.forget(textOf(row, "session_id"));
        const now = time.at(integerOf(row, "now_ms"));
        return { answer: memberOf(row), writes: [freeName(member), unbind(integerOf(row, "session"), now)] };
      }, options.signal),
  };
}

/** The seated member of a name; never a reservation. */
export async function findMember(sql: Sql, member: string): Promise<MemberRecord | undefined> {
  const [row] = await sql.query(`${seated} WHERE member.name = $1`, [member]);
  return row && memberOf(row);
}

/** The member that a session is bound to. */
export async function findMemberOf(sql: Sql, sessionId: string): Promise<MemberRecord | undefined> {
  const [row] = await sql.query(`${seated} WHERE session.id = $1`, [sessionId]);
  return row && memberOf(row);
}

/** Refuses a name that somebody has. @throws SessionError `member_already_exists`. */
export function refuseHeldName(member: string, found: NameHolder | undefined): void {
  if (found === undefined) return;
  const { holder } = found;
  throw new SessionError("member_already_exists", `the name ${member} is ${holder}`, {
    details: { member, holder },
  });
}

/** Who has a name. */
export async function holderOf(sql: Sql, member: string): Promise<NameHolder | undefined> {
  const [row] = await sql.query(
    `SELECT session.id AS session_id, member.operation FROM member
     LEFT JOIN session ON session.key = member.session WHERE member.name = $1`,
    [member],
  );
  if (row === undefined) return undefined;
  const sessionId = optionalText(row, "session_id");
  if (sessionId !== null) return Object.freeze({ holder: "seated", sessionId });
  return Object.freeze({ holder: "reserved", operationId: textOf(row, "operation") });
}

/** Keeps a free name for a fork that is committed and not yet seated. One that was taken meanwhile fails as a duplicate. */
export function reserveName(member: string, operationId: string): SqlStatement {
  return statement(
    "INSERT INTO member (name, sort_key, operation) VALUES ($1, $2, $3)",
    member,
    sortableBytes(member),
    operationId,
  );
}

/** Frees a name. */
export function freeName(member: string): SqlStatement {
  return statement("DELETE FROM member WHERE name = $1", member);
}

/** Seats a member on a free name. One that was taken meanwhile fails as a duplicate. */
export function insertMember(session: number, member: MemberRecord): SqlStatement {
  return statement(
    `INSERT INTO member (name, sort_key, session, operation, role, labels, agent_identity, seated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    member.member,
    sortableBytes(member.member),
    session,
    member.operationId,
    member.role,
    packFilled(member.labels),
    member.agentIdentity,
    member.seatedAt,
  );
}

function unbind(session: number, now: number): SqlStatement {
  return statement(
    "UPDATE session SET version = version + 1, member = NULL, updated_at = $2 WHERE key = $1",
    session,
    now,
  );
}

function unknownMember(member: string): SessionError<"unknown_member"> {
  return new SessionError("unknown_member", `there is no member ${member}`, { details: { member } });
}

/** A row of a seated member with its `session_id` as a frozen record. */
export function memberOf(row: SqlRow): MemberRecord {
  return memberOfRow(row, plainForm);
}
