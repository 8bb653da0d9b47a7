import type { ForkBehaviour, SideState, SideStateWrite } from "@mobkit/session";
import { inheritance, integerOf, jsonOf, nextSideState, unknownSession } from "@mobkit/session/rules";
import type { SqlRow } from "./driver.ts";
import { pack } from "./packed-text.ts";
import { textOf } from "./rows.ts";
import type { StoredSession } from "./session-rows.ts";
import type { StoreConnection } from "./store-connection.ts";

const select = `SELECT side_value.*, side_state.kind FROM side_state JOIN side_value ON side_value.key = side_state.value
  WHERE side_state.session = ?`;

/** A value that a session sees. @throws SessionError `unknown_session`. */
export function readSideState(
  connection: StoreConnection,
  sessionId: string,
  kind: string,
): SideState | undefined {
  const row = connection
    .statement(
      `SELECT side_value.*, side_state.kind FROM session
       LEFT JOIN side_state ON side_state.session = session.key AND side_state.kind = ?
       LEFT JOIN side_value ON side_value.key = side_state.value WHERE session.id = ?`,
    )
    .get(pack(kind), pack(sessionId));
  if (row === undefined) throw unknownSession(sessionId);
  return row["kind"] === null ? undefined : sideStateOf(row);
}

/** Everything that a session sees, by kind. */
export function readSideStates(connection: StoreConnection, session: number): readonly SideState[] {
  const states = connection.statement(select).all(session).map(sideStateOf);
  return Object.freeze(states.toSorted((one, other) => (one.kind < other.kind ? -1 : 1)));
}

/** Adds a value of a kind that the session doesn't have, as it was. */
export function addSideState(connection: StoreConnection, session: number, state: SideState): void {
  addState(connection, { session, kind: state.kind }, addValue(connection, state));
}

/** Writes values; a shared one changes for every session that sees it. @throws SessionError `revision_conflict`. */
export function writeSideStates(
  connection: StoreConnection,
  session: StoredSession,
  writes: readonly SideStateWrite[],
): void {
  for (const write of writes) {
    const kind = pack(write.kind);
    const row = connection.statement(`${select} AND side_state.kind = ?`).get(session.key, kind);
    const next = nextSideState(row && sideStateOf(row), write, session.record);
    if (row) replaceValue(connection, integerOf(row, "key"), next);
    else addState(connection, { session: session.key, kind: write.kind }, addValue(connection, next));
  }
}

/** A piece of side state with the number by which its value is stored. */
export interface StoredSideState {
  readonly key: number;
  readonly state: SideState;
}

/** All that a session sees. */
export function sideStatesOf(connection: StoreConnection, session: number): readonly StoredSideState[] {
  const rows = connection.statement(select).all(session);
  return rows.map((row) => ({ key: integerOf(row, "key"), state: sideStateOf(row) }));
}

/** Gives a fork's child what its source's side state says. */
export function inheritSideStates(
  connection: StoreConnection,
  source: readonly StoredSideState[],
  child: { readonly key: number; readonly len: number },
): void {
  for (const { key, state } of source) {
    const behaviour = inheritance(state, child.len);
    if (behaviour === "reset") continue;
    const value = behaviour === "share" ? key : addValue(connection, state);
    addState(connection, { session: child.key, kind: state.kind }, value);
  }
}

/** The kinds of a source's side state that a fork at a length starts without. */
export function resetKinds(source: readonly StoredSideState[], length: number): string[] {
  return source
    .filter(({ state }) => inheritance(state, length) === "reset")
    .map(({ state }) => state.kind)
    .toSorted();
}

/** A row of a value with its kind as a frozen record. */
export function sideStateOf(row: SqlRow): SideState {
  return Object.freeze({
    kind: textOf(row, "kind"),
    onFork: String(row["on_fork"]) as ForkBehaviour,
    value: jsonOf(row, "value"),
    position: integerOf(row, "position"),
    version: integerOf(row, "version"),
  });
}

function addState(
  connection: StoreConnection,
  state: { session: number; kind: string },
  value: number,
): void {
  connection
    .statement("INSERT INTO side_state (session, kind, value) VALUES (?, ?, ?)")
    .run(state.session, pack(state.kind), value);
}

function addValue(connection: StoreConnection, state: SideState): number {
  const row = connection
    .statement("INSERT INTO side_value (on_fork, value, position, version) VALUES (?, ?, ?, ?) RETURNING key")
    .get(state.onFork, JSON.stringify(state.value), state.position, state.version);
  return integerOf(row!, "key");
}

function replaceValue(connection: StoreConnection, key: number, state: SideState): void {
  connection
    .statement("UPDATE side_value SET on_fork = ?, value = ?, position = ?, version = ? WHERE key = ?")
    .run(state.onFork, JSON.stringify(state.value), state.position, state.version, key);
}
