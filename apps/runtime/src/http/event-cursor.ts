import { sha256 } from "@basis/core";
import type { EventEmitter } from "../events/event-emitter.ts";
import { lastSeq } from "../events/event-log.ts";
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
  covers(event: Pick<BasisEvent, "session">): boolean;
  /** The numbered events behind it, in order; each moves it. @throws CursorLost */
  advance(): AsyncIterable<CursorEvent>;
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
export async function sessionCursor(
  events: EventEmitter,
  session: string,
  after: number,
): Promise<EventCursor> {
  const last = await lastSeq(events, session);
  if (after > last) throw new CursorLost(String(last));
  let sent = after;
  return {
    get lastId() {
      return String(sent);
    },
    covers: (event) => event.session === session,
    async *advance() {
      for await (const event of events.read(session, { after: sent })) {
        if (event.seq !== sent + 1) throw new CursorLost(String(await lastSeq(events, session)));
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
export async function serverCursor(events: EventEmitter, after: string | undefined): Promise<EventCursor> {
  let lastId = after ?? (await lastIdOf(events));
  const place = async (): Promise<number> => {
    const number = Number.parseInt(lastId, 10);
    if ((await idAt(events, number)) !== lastId) throw new CursorLost(await lastIdOf(events));
    return number;
  };
  await place();
  return {
    get lastId() {
      return lastId;
    },
    covers: () => true,
    async *advance() {
      for await (const { place: next, event } of events.readAll(await place())) {
        lastId = idOf(next, event);
        yield { id: lastId, event };
      }
    },
  };
}

/** What an id of a session, and one of a whole server, look like. */
export const sessionId: RegExp = /^\d{1,15}$/;
export const serverId: RegExp = /^(?:0|\d{1,15}\.[0-9a-f]{12})$/;

async function lastIdOf(events: EventEmitter): Promise<string> {
  return idAt(events, await events.lastPlace());
}

async function idAt(events: EventEmitter, place: number): Promise<string> {
  const event = place === 0 ? undefined : await events.at(place);
  return event === undefined ? "0" : idOf(place, event);
}

function idOf(place: number, { session, seq }: BasisEvent): string {
  return `${place}.${sha256(`${session} ${seq}`).slice(0, 12)}`;
}
