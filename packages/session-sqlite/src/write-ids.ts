import type { JsonValue } from "@basis/core";
import { checkWriteId, jsonOf } from "@mobkit/session/rules";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoredSession } from "./session-rows.ts";

/** A session's writes that are remembered at least, and at most twice as many. */
const remembered = 256;

/** A write that can be repeated: the caller's id for it and what it stands for. */
export interface RepeatableWrite {
  readonly id: string;
  readonly digest: string;
}

/** The first result of a write that was done before. @throws SessionError `write_id_conflict`. */
export function recallWrite(
  connection: StoreConnection,
  session: StoredSession,
  write: RepeatableWrite,
): JsonValue | undefined {
  const row = connection
    .statement("SELECT digest, result FROM write_id WHERE session = ? AND id = ?")
    .get(session.key, pack(write.id));
  if (row === undefined) return undefined;
  checkWriteId(session.record.id, write, textOf(row, "digest"));
  return jsonOf(row, "result");
}

/** Keeps a write's result for its repetition, in its own transaction, and forgets the oldest ones now and then. */
export function rememberWrite(
  connection: StoreConnection,
  place: { readonly session: number; readonly ordinal: number },
  write: RepeatableWrite & { readonly result: object },
): void {
  const { session, ordinal } = place;
  connection
    .statement("INSERT INTO write_id (session, id, ordinal, digest, result) VALUES (?, ?, ?, ?, ?)")
    .run(session, pack(write.id), ordinal, pack(write.digest), JSON.stringify(write.result));
  if (ordinal % remembered !== 0) return;
  connection
    .statement("DELETE FROM write_id WHERE session = ? AND ordinal <= ?")
    .run(session, ordinal - remembered);
}
