import type { SqlRow, StoreSql } from "@mobkit/session-sqlite";
import type { RunOutcome } from "@basis/core";
import { unknownTurn } from "../queue-error.ts";
import type { NewTurn, QueuedTurn, TurnState } from "../queued-turn.ts";

/** The queue's tables in the store's own file; only ever added to. */
export const queueMigrations: readonly string[] = [
  `CREATE TABLE queue_turn (
     place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, realm TEXT NOT NULL, fit TEXT NOT NULL,
     state TEXT NOT NULL, queued_at INTEGER NOT NULL, claim INTEGER, worker TEXT, outcome TEXT, reason TEXT, turn TEXT NOT NULL
   ) STRICT;
   CREATE INDEX queue_turn_state ON queue_turn (state, place);
   CREATE INDEX queue_turn_session ON queue_turn (session);
   CREATE INDEX queue_turn_claim ON queue_turn (claim);
   CREATE TABLE queue_realm (realm TEXT PRIMARY KEY, turns INTEGER NOT NULL) STRICT;`,
];

/** The turn with this id. */
export function turnBy(sql: StoreSql, id: string): QueuedTurn | undefined {
  const row = sql.get("SELECT * FROM queue_turn WHERE id = ?", [id]);
  return row && turnOf(row);
}

/** @throws QueueError `unknown_turn` */
export function required(sql: StoreSql, id: string): QueuedTurn {
  const turn = turnBy(sql, id);
  if (turn === undefined) throw unknownTurn(id);
  return turn;
}

/** A row as the queue tells it. */
export function turnOf({ turn, state, queued_at: queuedAt, worker, outcome, reason }: SqlRow): QueuedTurn {
  return {
    ...(JSON.parse(String(turn)) as NewTurn),
    state: state as TurnState,
    queuedAt: Number(queuedAt),
    ...(worker !== null && { worker: String(worker) }),
    ...(outcome !== null && { outcome: outcome as RunOutcome }),
    ...(reason !== null && { reason: String(reason) }),
  };
}
