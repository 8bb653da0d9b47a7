import type { JsonObject } from "@basis/core";
import type { ForkSource } from "@mobkit/session";
import { jsonOf } from "@mobkit/session/rules";
import { memberColumns, memberOf, membersWithForks } from "./members.ts";
import { pack, packName } from "./packed-text.ts";
import { sideStateOf } from "./side-states.ts";
import type { StoreConnection } from "./store-connection.ts";

const sourceSql = `SELECT ${memberColumns}, fork_op.request, side_state.kind, side_value.on_fork, side_value.value,
    side_value.position, side_value.version FROM ${membersWithForks}
  LEFT JOIN side_state ON side_state.session = member.session AND side_state.kind = ?
  LEFT JOIN side_value ON side_value.key = side_state.value
  WHERE member.name = ? AND member.seated_at IS NOT NULL`;

/** The seated member of a name with what a fork of it has to know, by one statement. */
export function sourceOf(connection: StoreConnection, member: string, kind: string): ForkSource | undefined {
  const row = connection.statement(sourceSql).get(pack(kind), packName(member));
  if (row === undefined) return undefined;
  return Object.freeze({
    member: memberOf(row),
    madeBy: row["request"] === null ? undefined : (jsonOf(row, "request") as JsonObject),
    sideState: row["kind"] === null ? undefined : sideStateOf(row),
  });
}
