import type { JsonValue } from "@basis/core";
import { checkWriteId, jsonOf } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import { statement, type Sql, type SqlStatement } from "./sql.ts";

/** A session's writes that are remembered at least. */
const remembered = 256;

/** A write that can be repeated: the caller's id for it and what it stands for. */
export interface RepeatableWrite {
  readonly id: string;
  readonly digest: string;
}

/** The first result of a write that was done before. @throws SessionError `write_id_conflict`. */
export async function recallWrite(
  sql: Sql,
  sessionId: string,
  write: RepeatableWrite,
): Promise<JsonValue | undefined> {
  const [row] = await sql.query(
    "SELECT digest, result FROM write_id WHERE session = (SELECT key FROM session WHERE id = $1) AND id = $2",
    [sessionId, write.id],
  );
  if (row === undefined) return undefined;
  checkWriteId(sessionId, write, textOf(row, "digest"));
  return jsonOf(row, "result");
}

/** Keeps a write's result for its repetition, in its own transaction. The session's row is locked. */
export function rememberWrite(
  session: number,
  write: RepeatableWrite & { readonly result: object },
): SqlStatement {
  return statement(
    `WITH counted AS (UPDATE session SET write_count = write_count + 1 WHERE key = $1 RETURNING write_count)
     INSERT INTO write_id (session, id, ordinal, digest, result) SELECT $1, $2, write_count, $3, $4 FROM counted`,
    session,
    write.id,
    write.digest,
    JSON.stringify(write.result),
  );
}

/** True for one write in so many; it forgets the old ones. */
export function isTimeToForget(rev: number): boolean {
  return rev % remembered === 0;
}

/** Forgets a session's writes but the latest. */
export function forgetWrites(session: number): SqlStatement {
  return statement(
    `DELETE FROM write_id USING session
     WHERE session.key = $1 AND write_id.session = $1 AND write_id.ordinal <= session.write_count - $2`,
    session,
    remembered,
  );
}
