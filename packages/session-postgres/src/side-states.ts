import type { ForkBehaviour, SessionRecord, SideState, SideStateWrite } from "@mobkit/session";
import { inheritance, integerOf, jsonOf, nextSideState } from "@mobkit/session/rules";
import { textOf } from "./rows.ts";
import { statement, type Sql, type SqlRow, type SqlStatement } from "./sql.ts";

/** A value that a session sees, with its number: sessions that share it name the same one. */
export interface StoredSideState {
  readonly value: number;
  readonly state: SideState;
}

const select = `SELECT side_value.*, side_state.kind FROM side_state JOIN side_value ON side_value.key = side_state.value
  JOIN session ON session.key = side_state.session WHERE session.id = $1`;

/** A value that a session sees. */
export async function readSideState(
  sql: Sql,
  sessionId: string,
  kind: string,
): Promise<SideState | undefined> {
  const [row] = await sql.query(`${select} AND side_state.kind = $2`, [sessionId, kind]);
  return row && sideStateOf(row).state;
}

/** All values that a session sees. */
export async function readSideStates(sql: Sql, sessionId: string): Promise<readonly StoredSideState[]> {
  return (await sql.query(`${select} ORDER BY side_state.kind`, [sessionId])).map(sideStateOf);
}

/**
 * Writes values; a shared one changes for every session that sees it, so its row is locked before it is judged.
 * @throws SessionError `revision_conflict`.
 */
export async function writeSideStates(
  sql: Sql,
  session: { readonly key: number; readonly record: SessionRecord },
  writes: readonly SideStateWrite[],
): Promise<readonly SqlStatement[]> {
  if (writes.length === 0) return [];
  const rows = await sql.query(
    `${select} AND side_state.kind = ANY ($2::text[]) ORDER BY side_value.key FOR NO KEY UPDATE OF side_value`,
    [session.record.id, writes.map(({ kind }) => kind)],
  );
  const found = new Map(rows.map(sideStateOf).map((stored) => [stored.state.kind, stored]));
  return writes.map((write) => {
    const stored = found.get(write.kind);
    const next = nextSideState(stored?.state, write, session.record);
    return stored ? replaceValue(stored.value, next) : addState(session.key, next);
  });
}

/** Gives a fork's child what its source's side state says. */
export function inheritSideStates(
  states: readonly StoredSideState[],
  child: { readonly key: number; readonly len: number },
): SqlStatement[] {
  return states.flatMap(({ value, state }) => {
    switch (inheritance(state, child.len)) {
      case "reset":
        return [];
      case "copy":
        return [addState(child.key, state)];
      case "share":
        return [shareState({ session: child.key, kind: state.kind, value })];
    }
  });
}

/** The kinds that a fork at a length starts without. */
export function resetKinds(states: readonly StoredSideState[], length: number): string[] {
  return states
    .filter(({ state }) => inheritance(state, length) === "reset")
    .map(({ state }) => state.kind)
    .toSorted();
}

/** A row of a value with its kind. */
export function sideStateOf(row: SqlRow): StoredSideState {
  const state = Object.freeze({
    kind: textOf(row, "kind"),
    onFork: textOf(row, "on_fork") as ForkBehaviour,
    value: jsonOf(row, "value"),
    position: integerOf(row, "position"),
    version: integerOf(row, "version"),
  });
  return { value: integerOf(row, "key"), state };
}

/** Adds a value of a kind that the session doesn't have, as it is. */
export function addState(session: number, state: SideState): SqlStatement {
  return statement(
    `WITH added AS (
       INSERT INTO side_value (on_fork, value, position, version) VALUES ($3, $4, $5, $6) RETURNING key)
     INSERT INTO side_state (session, kind, value) SELECT $1, $2, key FROM added`,
    session,
    state.kind,
    state.onFork,
    JSON.stringify(state.value),
    state.position,
    state.version,
  );
}

function shareState(shared: { session: number; kind: string; value: number }): SqlStatement {
  const { session, kind, value } = shared;
  return statement("INSERT INTO side_state (session, kind, value) VALUES ($1, $2, $3)", session, kind, value);
}

function replaceValue(key: number, state: SideState): SqlStatement {
  return statement(
    "UPDATE side_value SET on_fork = $2, value = $3, position = $4, version = $5 WHERE key = $1",
    key,
    state.onFork,
    JSON.stringify(state.value),
    state.position,
    state.version,
  );
}
