import type { SqliteTransaction, StoreExtension, StoreSql } from "@mobkit/session-sqlite";
import { nextTurn, servedKey } from "../fair-order.ts";
import { countsOf, groupIds, queueFull } from "../queue-counts.ts";
import { writeConflict, wrongState } from "../queue-error.ts";
import { isOver, turnDigest, type NewTurn, type QueuedTurn, type TurnState } from "../queued-turn.ts";
import type { ClaimStanding, QueueWorker, RealmCounts, TurnEnding, TurnFilter } from "../turn-queue.ts";
import { required, turnBy, turnOf } from "./turn-rows.ts";

/** A turn that a worker has, and which claim of it that is. */
export interface ClaimedTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly worker: string;
  readonly claim: number;
}

/** A claim that was made just now. */
export interface OwnClaim extends ClaimedTurn {
  readonly turn: NewTurn;
  /** Nobody had the turn before. */
  readonly isFirst: boolean;
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

  list({ states, realm, limit = 100, offset = 0 }: TurnFilter): Promise<readonly QueuedTurn[]> {
    const { where, values } = among({ states, realm });
    const query = `SELECT * FROM queue_turn ${where} ORDER BY place LIMIT ? OFFSET ?`;
    const page = [...values, Math.min(limit, 1_000), offset];
    return this.#rows.read(({ sql }) => sql.all(query, page).map(turnOf));
  }

  idsBySession(states?: readonly TurnState[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const { where, values } = among({ states });
    return this.#rows.read(({ sql }) => {
      const rows = sql.all(`SELECT id, session FROM queue_turn ${where} ORDER BY place`, values);
      return groupIds(rows.map(({ id, session }) => ({ id: String(id), sessionId: String(session) })));
    });
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
  async claim({ name, fit }: Pick<QueueWorker, "name" | "fit">): Promise<OwnClaim | undefined> {
    const choose = ({ sql }: SqliteTransaction): string | undefined => nextIn(sql, fit.digest);
    // Most looks find nothing: they lock nobody out.
    if ((await this.#rows.read(choose)) === undefined) return undefined;
    return this.#rows.transaction((tx) => {
      const { sql } = tx;
      const id = choose(tx);
      if (id === undefined) return undefined;
      const claim = Number(sql.get("SELECT coalesce(max(claim), 0) + 1 AS n FROM queue_turn")!["n"]);
      const isFirst = sql.get("SELECT claim FROM queue_turn WHERE id = ?", [id])!["claim"] === null;
      sql.run("UPDATE queue_turn SET state = 'running', worker = ?, claim = ? WHERE id = ?", [
        name,
        claim,
        id,
      ]);
      const { state: _state, queuedAt: _queuedAt, worker: _worker, ...turn } = turnBy(sql, id)!;
      return { id, sessionId: turn.sessionId, worker: name, claim, turn, isFirst };
    });
  }

  /** Whether somebody else has claimed it since, or had it before. */
  standing({ id, claim, isFirst }: OwnClaim): Promise<ClaimStanding> {
    const own = "SELECT 1 AS n FROM queue_turn WHERE id = ? AND claim = ? AND state = 'running'";
    return this.#rows.read(({ sql }) => {
      if (sql.get(own, [id, claim]) === undefined) return "lost";
      return isFirst ? "first" : "again";
    });
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

type Among = { readonly [Fact in "states" | "realm"]?: TurnFilter[Fact] | undefined };

/** The condition for turns in these states, of this realm. */
function among({ states, realm }: Among): { readonly where: string; readonly values: readonly string[] } {
  const conditions = [
    ...(states === undefined ? [] : [`state IN (${states.map(() => "?").join(", ")})`]),
    ...(realm === undefined ? [] : ["realm = ?"]),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  return { where, values: [...(states ?? []), ...(realm === undefined ? [] : [realm])] };
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
