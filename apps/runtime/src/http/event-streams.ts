import type { IncomingMessage, ServerResponse } from "node:http";
import { StartError } from "../config/start-error.ts";
import type { HostState } from "../store/open-state.ts";
import { findSession } from "../store/find-session.ts";
import {
  CursorLost,
  serverCursor,
  serverId,
  sessionCursor,
  sessionId,
  type EventCursor,
} from "./event-cursor.ts";
import { EventStream, redactionsOf, type StreamTimes } from "./event-stream.ts";
import { refuse, type HttpRefusal } from "./request-guard.ts";

/** Most streams at once. */
const MAX_STREAMS = 64;

/** The event streams of a server. */
export class EventStreams {
  readonly #state: Pick<HostState, "store" | "events" | "changes">;
  readonly #times: StreamTimes;
  readonly #open = new Set<EventStream>();
  #opening = 0;

  constructor(state: Pick<HostState, "store" | "events" | "changes">, times: StreamTimes) {
    this.#state = state;
    this.#times = times;
  }

  /** Begins a stream; answers why there is none. */
  async open(request: IncomingMessage, response: ServerResponse): Promise<HttpRefusal | undefined> {
    if (this.#open.size + this.#opening >= MAX_STREAMS)
      return refuse(503, "overloaded", `at most ${MAX_STREAMS} streams are open at once`);
    this.#opening += 1;
    try {
      const cursor = await this.#cursorOf(request);
      if ("error" in cursor) return cursor;
      const redactions = await redactionsOf(this.#state.store);
      this.#begin(cursor, redactions, response);
      return undefined;
    } catch (error) {
      if (error instanceof CursorLost)
        return { ...refuse(409, "events_rewound", error.message), facts: { last_id: error.lastId } };
      if (error instanceof StartError) return refuse(404, "not_found", error.message);
      throw error;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Ends every stream with a last word, and takes no more care of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((stream) => stream.end("ending")));
  }

  #begin(cursor: EventCursor, redactions: number, response: ServerResponse): void {
    if (response.destroyed) return;
    const stream = new EventStream({ state: this.#state, redactions, cursor, response, times: this.#times });
    this.#open.add(stream);
    void stream.over.then(() => this.#open.delete(stream));
  }

  /** A browser that comes again sends the address of the first time, and what it saw last in a header. */
  async #cursorOf({ url = "", headers }: IncomingMessage): Promise<EventCursor | HttpRefusal> {
    const query = new URL(url, "http://localhost").searchParams;
    const session = query.get("session");
    const seen = headers["last-event-id"];
    const after = (typeof seen === "string" && seen !== "" ? seen : query.get("after")) ?? undefined;
    const form = session === null ? serverId : sessionId;
    if (after !== undefined && !form.test(after))
      return refuse(400, "bad_id", "after and Last-Event-ID take an id that this stream has sent");
    const { store, events } = this.#state;
    if (session === null) return serverCursor(events, after);
    const { id } = await findSession(store, session);
    return sessionCursor(events, id, Number(after ?? 0));
  }
}
