import { newId } from "@basis/core";
import type { SqlRow, StoreExtension } from "@mobkit/session-postgres";
import { NAMESPACE } from "../store/postgres/host-tables.ts";
import type {
  EventChange,
  EventLog,
  PendingEvent,
  PlacedEvent,
  RewriteOptions,
  RewrittenEvents,
} from "./event-log.ts";
import type { BasisEvent } from "./event-schema.ts";
import { rewriteStored } from "./rewrite-stored.ts";

const PAGE = 500;
/** Whoever looks at the beginning or the end of a log alone reads no more. */
const FIRST_PAGE = 16;

/** A batch whose append failed, so that nobody knows whether it was kept. */
interface Doubtful {
  readonly events: readonly PendingEvent[];
  readonly batch: string;
}

/**
 * The event log in the store's database, numbered and kept in one round trip a batch. Every batch has an id, by which it
 * is recognised when it is sent again. Whoever appends tells the other processes.
 */
export class PostgresEventLog implements EventLog {
  readonly #extension: StoreExtension;
  readonly #origin: string;
  #doubtful: Doubtful | undefined;

  /** `origin`: how this process is known to those that it tells. */
  constructor(extension: StoreExtension, origin: string) {
    this.#extension = extension;
    this.#origin = origin;
  }

  async append(events: readonly PendingEvent[]): Promise<readonly BasisEvent[]> {
    const first = this.#doubtful ?? { events, batch: newId() };
    const kept = await this.#appendBatch(first);
    const rest = events.slice(first.events.length);
    return rest.length === 0
      ? kept
      : [...kept, ...(await this.#appendBatch({ events: rest, batch: newId() }))];
  }

  read(session: string, { after = 0 }: { readonly after?: number } = {}): AsyncIterable<BasisEvent> {
    const page = "SELECT seq, body FROM runtime_event WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    return this.#pages(page, { session, from: after });
  }

  readBack(session: string): AsyncIterable<BasisEvent> {
    const page =
      "SELECT seq, body FROM runtime_event WHERE session = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3";
    return this.#pages(page, { session, from: Number.MAX_SAFE_INTEGER });
  }

  async sessionOf(run: string): Promise<string | undefined> {
    const [row] = await this.#extension.statement(
      "SELECT session FROM runtime_event WHERE begins = $1 LIMIT 1",
      [run],
    );
    return row && String(row["session"]);
  }

  async *readAll(after: number): AsyncGenerator<PlacedEvent, void, undefined> {
    for (let from = after; ;) {
      const rows = await this.#extension.statement(
        `SELECT place, seq, body FROM runtime_event WHERE place > $1 ORDER BY place LIMIT ${PAGE}`,
        [from],
      );
      for (const row of rows) yield { place: Number(row["place"]), event: eventOf(row) };
      if (rows.length < PAGE) return;
      from = Number(rows.at(-1)!["place"]);
    }
  }

  async lastPlace(): Promise<number> {
    const [row] = await this.#extension.statement("SELECT max(place) AS place FROM runtime_event");
    return Number(row?.["place"] ?? 0);
  }

  async at(place: number): Promise<BasisEvent | undefined> {
    const [row] = await this.#extension.statement("SELECT seq, body FROM runtime_event WHERE place = $1", [
      place,
    ]);
    return row && eventOf(row);
  }

  async forget(sessions: readonly string[]): Promise<void> {
    await this.#extension.statement("DELETE FROM runtime_event WHERE session = ANY ($1)", [sessions]);
  }

  /** In one transaction: a writer beside it goes on, for no row of before is written to again. */
  rewrite(
    texts: readonly string[],
    change: EventChange,
    { dryRun = false }: RewriteOptions = {},
  ): Promise<RewrittenEvents> {
    return rewriteStored(this.#extension, texts, { change, write: !dryRun });
  }

  purge(): Promise<boolean> {
    return this.#extension.purge();
  }

  /** The connections are the store's. */
  close(): void {}

  async #appendBatch(given: Doubtful): Promise<readonly BasisEvent[]> {
    const { events, batch } = given;
    this.#doubtful = given;
    const rows = await this.#extension.statement(APPEND, [
      this.#extension.channel,
      this.#origin,
      batch,
      events.map(({ session }) => session),
      events.map(({ type, run }) => (type === "run_started" ? (run ?? null) : null)),
      events.map((event) => JSON.stringify(event)),
    ]);
    this.#doubtful = undefined;
    return events.map((event, at) => numbered(event, Number(rows[at]!["number"])));
  }

  async *#pages(
    sql: string,
    { session, from }: { readonly session: string; readonly from: number },
  ): AsyncGenerator<BasisEvent, void, undefined> {
    for (let [next, most] = [from, FIRST_PAGE]; ; most = PAGE) {
      const events = (await this.#extension.statement(sql, [session, next, most])).map(eventOf);
      yield* events;
      if (events.length < most) return;
      next = events.at(-1)!.seq!;
    }
  }
}

const APPEND = `SELECT number FROM ${NAMESPACE}_event_append($1, $2, $3, $4, $5, $6)`;

/** An event as it is stored: without its number, which the log gives. */
export function eventOf(row: SqlRow): BasisEvent {
  return numbered(JSON.parse(String(row["body"])) as PendingEvent, Number(row["seq"]));
}

function numbered({ v, ...rest }: PendingEvent, seq: number): BasisEvent {
  return { v, seq, ...rest } as BasisEvent;
}
