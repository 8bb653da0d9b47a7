import type { SqliteTransaction, SqlRow, StoreExtension, StoreSql } from "@mobkit/session-sqlite";
import type { RunOutcome } from "@basis/core";
import { nextTurn, servedKey } from "../fair-order.ts";
import { countsOf, queueFull } from "../queue-counts.ts";
import { unknownTurn, writeConflict, wrongState } from "../queue-error.ts";
import { isOver, turnDigest, type NewTurn, type QueuedTurn, type TurnState } from "../queued-turn.ts";
import type { QueueWorker, RealmCounts, TurnEnding, TurnFilter } from "../turn-queue.ts";

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

/** A turn that a worker has, and which claim of it that is. */
export interface ClaimedTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly worker: string;
  readonly claim: number;
}

/** Turns that have ended, or were cancelled, and are still known; the oldest of more are forgotten. */
const MAX_ENDED = 256;

/** Turns and realms as rows. Everything is durable when it answers; processes take turns by the file's own lock. */
export class TurnTable {
  readonly #rows: StoreExtension;

  constructor(rows: StoreExtension) {
    this.#rows = rows;
  }

  /** @throws QueueError `write_conflict`, `queue_full` */
  add(turn: NewTurn, { now, maxWaiting }: { readonly now: number; readonly maxWaiting: number }) {
    return this.#rows.transaction(({ sql }) => {
      const known = turnBy(sql, turn.id);
      if (known !== undefined && turnDigest(known) !== turnDigest(turn)) throw writeConflict(turn.id);
      if (known !== undefined) return known;
      const { id, sessionId, realm, fit } = turn;
      const waiting = Number(
        sql.get("SELECT count(*) AS n FROM queue_turn WHERE state = 'waiting' AND realm = ?", [realm])!["n"],
      );
      if (waiting >= maxWaiting) throw queueFull(realm, waiting, maxWaiting);
      sql.run(
        "INSERT INTO queue_turn (id, session, realm, fit, state, queued_at, turn) VALUES (?, ?, ?, ?, 'waiting', ?, ?)",
        [id, sessionId, realm, fit.digest, now, JSON.stringify(turn)],
      );
      return turnBy(sql, id)!;
    });
  }

  get(id: string): Promise<QueuedTurn | undefined> {
    return this.#rows.read(({ sql }) => turnBy(sql, id));
  }

  list({ states, realm, sessionId, limit = 100, offset = 0 }: TurnFilter): Promise<readonly QueuedTurn[]> {
    const conditions = [
      ...(states === undefined ? [] : [`state IN (${states.map(() => "?").join(", ")})`]),
      ...(realm === undefined ? [] : ["realm = ?"]),
      ...(sessionId === undefined ? [] : ["session = ?"]),
    ];
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    const named = [realm, sessionId].filter((name) => name !== undefined);
    const values = [...(states ?? []), ...named, Math.min(limit, 1_000), offset];
    const query = `SELECT * FROM queue_turn ${where} ORDER BY place LIMIT ? OFFSET ?`;
    return this.#rows.read(({ sql }) => sql.all(query, values).map(turnOf));
  }

  counts(): Promise<readonly RealmCounts[]> {
    return this.#rows.read(({ sql }) => {
      const rows = sql.all(
        "SELECT realm, state FROM queue_turn WHERE state IN ('waiting', 'running', 'dead')",
      );
      const turns = rows.map(({ realm, state }) => ({ realm: String(realm), state: state as TurnState }));
      return countsOf(turns, limitsIn(sql));
    });
  }

  /** Takes the next turn that this worker may run; undefined when there is none. */
  async claim(
    worker: Pick<QueueWorker, "name" | "fit">,
  ): Promise<(ClaimedTurn & { turn: NewTurn }) | undefined> {
    const { name, fit } = worker;
    const choose = ({ sql }: SqliteTransaction): string | undefined => nextIn(sql, fit.digest);
    // Most looks find nothing: they lock nobody out.
    if ((await this.#rows.read(choose)) === undefined) return undefined;
    return this.#rows.transaction((tx) => {
      const { sql } = tx;
      const id = choose(tx);
      if (id === undefined) return undefined;
      const claim = Number(sql.get("SELECT coalesce(max(claim), 0) + 1 AS n FROM queue_turn")!["n"]);
      sql.run("UPDATE queue_turn SET state = 'running', worker = ?, claim = ? WHERE id = ?", [
        name,
        claim,
        id,
      ]);
      const { state: _state, queuedAt: _queuedAt, worker: _worker, ...turn } = turnBy(sql, id)!;
      return { id, sessionId: turn.sessionId, worker: name, claim, turn };
    });
  }

  /** True as long as nobody else has claimed it since. */
  isOf({ id, claim }: ClaimedTurn): Promise<boolean> {
    return this.#rows.read(
      ({ sql }) =>
        sql.get("SELECT 1 AS n FROM queue_turn WHERE id = ? AND claim = ? AND state = 'running'", [
          id,
          claim,
        ]) !== undefined,
    );
  }

  /** Ends a claim: with the turn, or so that it waits again. Nothing is changed when another has it. */
  settle({ id, claim }: ClaimedTurn, ending: TurnEnding | "back"): Promise<boolean> {
    const { outcome = null, reason = null } = ending === "back" ? {} : ending;
    const state = ending === "back" ? "waiting" : outcome === "failed" ? "dead" : "ended";
    const worker = ending === "back" ? ", worker = NULL" : "";
    return this.#rows.transaction(({ sql }) => {
      const changed = sql.run(
        `UPDATE queue_turn SET state = ?, outcome = ?, reason = ?${worker} WHERE id = ? AND claim = ? AND state = 'running'`,
        [state, outcome, reason, id, claim],
      );
      forgetOldest(sql);
      return changed > 0;
    });
  }

  /** @throws QueueError `unknown_turn` */
  cancel(id: string): Promise<boolean> {
    return this.#rows.transaction(({ sql }) => {
      if (required(sql, id).state !== "waiting") return false;
      sql.run("UPDATE queue_turn SET state = 'cancelled' WHERE id = ?", [id]);
      forgetOldest(sql);
      return true;
    });
  }

  /** @throws QueueError `unknown_turn`, `wrong_state` */
  drop(id: string): Promise<void> {
    return this.#rows.transaction(({ sql }) => {
      const turn = required(sql, id);
      if (!isOver(turn)) throw wrongState(id, turn.state, "over");
      sql.run("DELETE FROM queue_turn WHERE id = ?", [id]);
    });
  }

  limit(realm: string, turns: number | undefined): Promise<void> {
    return this.#rows.transaction(({ sql }) => {
      if (turns === undefined) return void sql.run("DELETE FROM queue_realm WHERE realm = ?", [realm]);
      sql.run(
        "INSERT INTO queue_realm (realm, turns) VALUES (?, ?) ON CONFLICT (realm) DO UPDATE SET turns = excluded.turns",
        [realm, turns],
      );
    });
  }

  claimed(): Promise<readonly ClaimedTurn[]> {
    return this.#rows.read(({ sql }) =>
      sql
        .all("SELECT id, session, worker, claim FROM queue_turn WHERE state = 'running' ORDER BY place")
        .map((row) => ({
          id: String(row["id"]),
          sessionId: String(row["session"]),
          worker: String(row["worker"]),
          claim: Number(row["claim"]),
        })),
    );
  }

  /** The ids of waiting turns that need something else than `fit`. */
  foreign(fit: string): Promise<readonly string[]> {
    return this.#rows.read(({ sql }) =>
      sql
        .all("SELECT id FROM queue_turn WHERE state = 'waiting' AND fit <> ? ORDER BY place", [fit])
        .map(({ id }) => String(id)),
    );
  }
}

function nextIn(sql: StoreSql, fit: string): string | undefined {
  const isThere = "SELECT 1 AS n FROM queue_turn WHERE state = 'waiting' AND fit = ? LIMIT 1";
  if (sql.get(isThere, [fit]) === undefined) return undefined;
  const heads = (where: string, values: readonly string[]) =>
    sql
      .all(`SELECT id, session, realm FROM queue_turn WHERE ${where} ORDER BY place`, values)
      .map(({ id, session, realm }) => ({
        id: String(id),
        sessionId: String(session),
        realm: String(realm),
      }));
  const servedAt = new Map<string, number>();
  const served = "SELECT realm, session, claim FROM queue_turn WHERE claim IS NOT NULL ORDER BY claim";
  for (const { realm, session, claim } of sql.all(served))
    servedAt
      .set(servedKey.realm(String(realm)), Number(claim))
      .set(servedKey.session(String(session)), Number(claim));
  const waiting = heads("state = 'waiting' AND fit = ?", [fit]);
  return nextTurn({ waiting, running: heads("state = 'running'", []), limits: limitsIn(sql), servedAt })?.id;
}

function limitsIn(sql: StoreSql): ReadonlyMap<string, number> {
  const rows = sql.all("SELECT realm, turns FROM queue_realm");
  return new Map(rows.map(({ realm, turns }) => [String(realm), Number(turns)]));
}

function forgetOldest(sql: StoreSql): void {
  const over = "state IN ('ended', 'cancelled')";
  sql.run(
    `DELETE FROM queue_turn WHERE ${over} AND place < (
       SELECT min(place) FROM (SELECT place FROM queue_turn WHERE ${over} ORDER BY place DESC LIMIT ${MAX_ENDED}))`,
  );
}

function turnBy(sql: StoreSql, id: string): QueuedTurn | undefined {
  const row = sql.get("SELECT * FROM queue_turn WHERE id = ?", [id]);
  return row && turnOf(row);
}

function required(sql: StoreSql, id: string): QueuedTurn {
  const turn = turnBy(sql, id);
  if (turn === undefined) throw unknownTurn(id);
  return turn;
}

function turnOf({ turn, state, queued_at: queuedAt, worker, outcome, reason }: SqlRow): QueuedTurn {
  return {
    ...(JSON.parse(String(turn)) as NewTurn),
    state: state as TurnState,
    queuedAt: Number(queuedAt),
    ...(worker !== null && { worker: String(worker) }),
    ...(outcome !== null && { outcome: outcome as RunOutcome }),
    ...(reason !== null && { reason: String(reason) }),
  };
}
