import type { JsonObject } from "@basis/core";
import type { ForkSource } from "@mobkit/session";
import { jsonOf } from "@mobkit/session/rules";
import { memberOf } from "./members.ts";
import { sideStateOf } from "./side-states.ts";
import type { Sql } from "./sql.ts";

/** The seated member of a name with what a fork of it has to know. */
export async function sourceOf(sql: Sql, name: string, kind: string): Promise<ForkSource | undefined> {
  const [row] = await sql.query(
    `SELECT member.*, session.id AS session_id, fork_op.request, side_state.kind, side_value.on_fork, side_value.value,
       side_value.position, side_value.version, side_value.key
     FROM member JOIN session ON session.key = member.session LEFT JOIN fork_op ON fork_op.session = member.session
       LEFT JOIN side_state ON side_state.session = member.session AND side_state.kind = $2
       LEFT JOIN side_value ON side_value.key = side_state.value WHERE member.name = $1`,
    [name, kind],
  );
  if (row === undefined) return undefined;
  return Object.freeze({
    member: memberOf(row),
    madeBy: (jsonOf(row, "request") ?? undefined) as JsonObject | undefined,
    sideState: (row["kind"] ?? null) === null ? undefined : sideStateOf(row).state,
  });
}
