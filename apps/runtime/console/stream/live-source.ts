import { EventStore } from "../state/event-store.ts";
import { emptyModel } from "../state/model.ts";
import { Recording } from "../state/recording.ts";
import { readTo } from "../state/seen-numbers.ts";
import { readLine, type Told } from "../state/told-event.ts";
import type { Connection } from "./connection.ts";
import { EventFeed, unknownToken } from "./event-feed.ts";
import { rpcClient, RpcFailure, type Rpc } from "./rpc-client.ts";
import type { ListedSession, Source, SourceStatus } from "./source.ts";

/** How many of the sessions that changed last are read at the start. */
const READ_AT_START = 24;
/** How many older ones are read beside them, in which a call waits. */
const MAX_WAITING = 100;
/** Most sessions that are listed, and how many a call lists. */
const MAX_LISTED = 5000;
const LIST_PAGE = 500;
const EVENT_PAGE = 1000;
/** Most sessions that are read at once: a host answers a limited number of calls. */
const READERS = 6;

/**
 * The events of a host. What happens is followed from now on; what was before is read from the log, session by session.
 * An event that does not come right behind the last one read makes its session be read on: nothing is missed or taken twice.
 */
export class LiveSource implements Source {
  recording: Recording = liveRecording();
  readonly rpc: Rpc;
  status: SourceStatus = { kind: "connecting" };
  readonly #listed = new Map<string, ListedSession>();
  readonly #listeners = new Set<() => void>();
  readonly #wanted = new Set<string>();
  readonly #reading = new Map<string, { again: boolean }>();
  readonly #waiting: (() => void)[] = [];
  readonly #feed: EventFeed;
  #readers = 0;
  #listing: "no" | "once" | "again" = "no";

  constructor(connection: Connection) {
    this.rpc = rpcClient(connection);
    this.#feed = new EventFeed(connection, {
      onEvent: (text) => this.#hear(text),
      onOpen: () => this.#open(),
      onRedacted: () => this.#readAnew(),
      onLost: (why, againAt) => this.#become({ kind: "lost", why, againAt }),
      onRefused: (why, remedy) => this.#become({ kind: "refused", why, remedy }),
    });
  }

  get listed(): ReadonlyMap<string, ListedSession> {
    return this.#listed;
  }

  want(session: string): void {
    if (this.#wanted.has(session)) return;
    this.#wanted.add(session);
    void this.#catchUp(session);
    this.#wantSource(session);
  }

  /** What a session was forked from is told by the list and by the source's own log alone. */
  #wantSource(session: string): void {
    const source = this.#listed.get(session)?.forked_from?.session;
    if (source !== undefined) this.want(source);
  }

  /** Whoever looks at a session sees its children, its forks and the one that started it. */
  #wantRelated(told: Told): void {
    if (told.kind !== "event") return;
    const { event } = told;
    if (event.type === "child_started") this.want(event.data.child_session);
    if (event.type === "fork_committed") this.want(event.data.fork_session);
    if (event.type === "run_started" && event.parent !== undefined) this.want(event.parent.session);
  }

  retry(): void {
    this.#feed.retry();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #become(status: SourceStatus): void {
    this.status = status;
    this.tell();
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  /** A reading that failed meanwhile is made up for. */
  #open(): void {
    this.recording.store.again.clear();
    this.#become({ kind: "live" });
    for (const session of this.#wanted) void this.#catchUp(session);
    void this.#list(true);
  }

  /** Lets go of everything, and reads it as it is now: a reading under way may still bring what is gone. */
  #readAnew(): void {
    this.recording = liveRecording();
    for (const session of this.#wanted) void this.#catchUp(session);
    this.tell();
  }

  /** Lists the host's sessions, and reads those that changed last. */
  async #list(andRead: boolean): Promise<void> {
    if (this.#listing !== "no") return void (this.#listing = "again");
    this.#listing = "once";
    try {
      let after: string | undefined;
      do {
        const page: SessionPage = await this.rpc("sessions/list", {
          limit: LIST_PAGE,
          ...(after && { after }),
        });
        for (const each of page.sessions) this.#listed.set(each.session, each);
        after = page.next ?? undefined;
      } while (after !== undefined && this.#listed.size < MAX_LISTED);
      const newest = [...this.#listed.values()].toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
      for (const session of this.#wanted) this.#wantSource(session);
      if (andRead) for (const { session } of readAtStart(newest)) this.want(session);
      this.tell();
    } catch (error) {
      this.#fail(error);
    } finally {
      const again = (this.#listing as string) === "again";
      this.#listing = "no";
      if (again) void this.#list(false);
    }
  }

  #hear(text: string): void {
    const told = readLine(text);
    if (told.kind === "broken") return this.#take(text, told);
    const { session, seq, type } = told.event;
    this.#heardOf(type, session);
    if (!this.#wanted.has(session)) {
      return this.want(session);
    }
    const last = this.#readTo(session);
    const isNext = seq === undefined || seq === last + 1;
    if (isNext && !this.#reading.has(session)) return this.#take(text, told);
    if (seq !== undefined && seq > last) void this.#catchUp(session);
  }

  /** A fork has a member, and a new session a name, that only the list tells. */
  #heardOf(type: string, session: string): void {
    if (type === "fork_provisioned" || type === "fork_recovered" || !this.#listed.has(session))
      void this.#list(false);
  }

  #take(text: string, told: Told): void {
    this.recording.line(text);
    this.#wantRelated(told);
    this.tell();
  }

  /** Reads what a session's log has behind what was read of it. One reading at a time. */
  async #catchUp(session: string): Promise<void> {
    const running = this.#reading.get(session);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const state = { again: false };
    this.#reading.set(session, state);
    while (this.#readers >= READERS) await new Promise<void>((go) => this.#waiting.push(go));
    this.#readers += 1;
    try {
      do {
        state.again = false;
        let after: number | undefined = this.#readTo(session);
        while (after !== undefined) after = await this.#readPage(session, after);
      } while (state.again);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#reading.delete(session);
      this.#readers -= 1;
      this.#waiting.shift()?.();
    }
  }

  #readTo(session: string): number {
    const known = this.recording.model.sessions.get(session);
    return known === undefined ? 0 : readTo(known);
  }

  async #readPage(session: string, after: number): Promise<number | undefined> {
    const { recording } = this;
    const page: EventPage = await this.rpc("events/read", { session, after, limit: EVENT_PAGE });
    if (recording !== this.recording) return this.#readTo(session);
    for (const event of page.events) this.#wantRelated(recording.value(event));
    this.tell();
    return page.next === null || page.next <= after ? undefined : page.next;
  }

  /** A session that is gone is no failure; a host that is gone is told by the feed. */
  #fail(error: unknown): void {
    if (!(error instanceof RpcFailure)) throw error;
    if (error.kind === "unauthorized") this.#become({ kind: "refused", ...unknownToken });
  }
}

function liveRecording(): Recording {
  return new Recording(new EventStore(), emptyModel([]));
}

/** The newest, and those in which a call waits for a person. */
function readAtStart(newest: readonly ListedSession[]): readonly ListedSession[] {
  const waiting = newest.slice(READ_AT_START).filter(({ state }) => state === "parked");
  return [...newest.slice(0, READ_AT_START), ...waiting.slice(0, MAX_WAITING)];
}

interface SessionPage {
  readonly sessions: readonly ListedSession[];
  readonly next: string | null;
}

interface EventPage {
  readonly events: readonly unknown[];
  readonly next: number | null;
}
