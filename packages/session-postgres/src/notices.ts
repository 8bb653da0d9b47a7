import type { SessionRecord } from "@mobkit/session";
import { statement, type SqlStatement } from "./sql.ts";

/** The channel on which the stores of a schema tell of changes. */
export function channelOf(schema: string): string {
  return `mobkit_${schema}`;
}

/** A session's change as it is told. */
export type Told = Pick<SessionRecord, "id" | "rev" | "len" | "state">;

/** At most 1,700 bytes: an id has 512 units at most. Source: NOTIFY carries less than 8,000 bytes. */
export function noticeText({ id, rev, len, state }: Told): string {
  return JSON.stringify([id, rev, len, state]);
}

/** Tells of a session's change, if the transaction commits. */
export function tell(schema: string, told: Told): SqlStatement {
  return statement("SELECT pg_notify($1, $2)", channelOf(schema), noticeText(told));
}
