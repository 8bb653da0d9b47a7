import type { PendingEvent } from "./event-log.ts";
import type { SyncEventLog } from "./sync-event-log.ts";
import type { BasisEvent } from "./event-schema.ts";

/** An event log in memory, for runs that are not kept. */
export function memoryEventLog(): SyncEventLog {
  const sessions = new Map<string, BasisEvent[]>();
  /** By place, which is one more than the index; empty where an event was deleted. */
  const all: (BasisEvent | undefined)[] = [];
  return {
    append: (events) => appendTo({ sessions, all }, events),
    *read(session, { after = 0 } = {}) {
      yield* (sessions.get(session) ?? []).slice(after);
    },
    *readBack(session) {
      const kept = sessions.get(session) ?? [];
      for (let at = kept.length - 1; at >= 0; at -= 1) yield kept[at]!;
    },
    sessionOf(run) {
      for (const [session, events] of sessions) if (events.some((event) => event.run === run)) return session;
      return undefined;
    },
    *readAll(after) {
      const end = all.length;
      for (let index = after; index < end; index += 1) {
        const event = all[index];
        if (event !== undefined) yield { place: index + 1, event };
      }
    },
    lastPlace: () => all.length,
    at: (place) => all[place - 1],
    forget(gone) {
      gone.forEach((session) => sessions.delete(session));
      for (const [index, event] of all.entries())
        if (event !== undefined && gone.includes(event.session)) all[index] = undefined;
      while (all.length > 0 && all.at(-1) === undefined) all.pop();
    },
    rewrite(texts, change, { dryRun = false } = {}) {
      const count = { found: 0, changed: 0 };
      for (const [index, event] of all.entries()) {
        if (event === undefined || !texts.some((text) => JSON.stringify(event).includes(text))) continue;
        const changed = change(event);
        count.found += 1;
        if (changed === undefined) continue;
        count.changed += 1;
        if (dryRun) continue;
        all[index] = changed;
        sessions.get(event.session)![event.seq! - 1] = changed;
      }
      return count;
    },
    purge: () => true,
    close: () => undefined,
  };
}

interface KeptEvents {
  readonly sessions: Map<string, BasisEvent[]>;
  readonly all: (BasisEvent | undefined)[];
}

/** Events of one session mostly come together: its list is looked up once for them. */
function appendTo({ sessions, all }: KeptEvents, events: readonly PendingEvent[]): readonly BasisEvent[] {
  let session: string | undefined;
  let kept: BasisEvent[] = [];
  return events.map((event) => {
    if (event.session !== session) {
      session = event.session;
      kept = sessions.get(session) ?? [];
      sessions.set(session, kept);
    }
    const numbered = numberedEvent(event, kept.length + 1);
    kept.push(numbered);
    all.push(numbered);
    return numbered;
  });
}

/** Written out, since a copy by spreading takes three times the memory. */
function numberedEvent(event: PendingEvent, seq: number): BasisEvent {
  const { v, ts, session, run, parent, type, data } = event;
  if (run === undefined || parent !== undefined) return { ...event, seq } as BasisEvent;
  return { v, seq, ts, session, run, type, data } as BasisEvent;
}
