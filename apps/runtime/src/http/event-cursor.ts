import { sha256 } from "@basis/core";
import type { EventEmitter } from "../events/event-emitter.ts";
import type { BasisEvent } from "../events/event-schema.ts";

/** An event beside the id by which a client goes on behind it. */
export interface CursorEvent {
  readonly id: string;
  readonly event: BasisEvent;
}

/** Where a client stands in what it follows: one session, or all of them. */
export interface EventCursor {
  /** The id of what it was given last. */
  readonly lastId: string;
  /** True for events that belong to what is followed. */
  covers(event: BasisEvent): boolean;
  /** The numbered events behind it, in order; each moves it. @throws CursorLost */
  advance(): Iterable<CursorEvent>;
}

/** What a client has seen is not in the log any more, so that it cannot be told what it missed. */
export class CursorLost extends Error {
  override readonly name = "CursorLost";
  /** Where the log ends now. */
  readonly lastId: string;

  constructor(lastId: string) {
    super(`what was seen of the log is gone, and it ends at ${lastId} now: read it anew`);
    this.lastId = lastId;
  }
}

/** The ids of one session are its own numbers, from 1 without a gap. @throws CursorLost */
export function sessionCursor(events: EventEmitter, session: string, after: number): EventCursor {
  const last = lastSeq(events, session);
  if (after > last) throw new CursorLost(String(last));
  let sent = after;
  return {
    get lastId() {
      return String(sent);
    },
    covers: (event) => event.session === session,
    *advance() {
      for (const event of events.read(session, { after: sent })) {
        if (event.seq !== sent + 1) throw new CursorLost(String(lastSeq(events, session)));
        sent += 1;
        yield { id: String(sent), event };
      }
    },
  };
}

/**
 * The ids of a whole server are places of its log, each with a mark of what stands there, so that a place that was
 * taken again after a deletion is not mistaken. Absent: from its end.
 *
 * @throws CursorLost
 */
export function serverCursor(events: EventEmitter, after: string | undefined): EventCursor {
  let lastId = after ?? idAt(events, events.lastPlace());
  const place = (): number => {
    const number = Number.parseInt(lastId, 10);
    if (idAt(events, number) !== lastId) throw new CursorLost(idAt(events, events.lastPlace()));
    return number;
  };
  place();
  return {
    get lastId() {
      return lastId;
    },
    covers: () => true,
    *advance() {
      for (const { place: next, event } of events.readAll(place())) {
        lastId = idOf(next, event);
        yield { id: lastId, event };
      }
    },
  };
}

/** What an id of a session, and one of a whole server, look like. */
export const sessionId: RegExp = /^\d{1,15}$/;
export const serverId: RegExp = /^(?:0|\d{1,15}\.[0-9a-f]{12})$/;

function idAt(events: EventEmitter, place: number): string {
  const event = place === 0 ? undefined : events.at(place);
  return event === undefined ? "0" : idOf(place, event);
}

function idOf(place: number, { session, seq }: BasisEvent): string {
  return `${place}.${sha256(`${session} ${seq}`).slice(0, 12)}`;
}

function lastSeq(events: EventEmitter, session: string): number {
  for (const { seq } of events.readBack(session)) return seq ?? 0;
  return 0;
}
