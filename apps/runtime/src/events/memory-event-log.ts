import type { PendingEvent, PlacedEvent } from "./event-log.ts";
import type { SyncEventLog } from "./sync-event-log.ts";
import type { BasisEvent } from "./event-schema.ts";

/** An event log in memory, for runs that are not kept. */
export function memoryEventLog(): SyncEventLog {
  const sessions = new Map<string, BasisEvent[]>();
  let all: PlacedEvent[] = [];
  let last = 0;
  return {
    append(events) {
      return events.map((event) => {
        const kept = sessions.get(event.session) ?? [];
        sessions.set(event.session, kept);
        const numbered = numberedEvent(event, kept.length + 1);
        kept.push(numbered);
        all.push({ place: (last += 1), event: numbered });
        return numbered;
      });
    },
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
      yield* all.slice(firstBehind(all, after));
    },
    lastPlace: () => all.at(-1)?.place ?? 0,
    at(place) {
      const found = all[firstBehind(all, place - 1)];
      return found?.place === place ? found.event : undefined;
    },
    forget(gone) {
      gone.forEach((session) => sessions.delete(session));
      all = all.filter(({ event }) => !gone.includes(event.session));
    },
    rewrite(texts, change, { dryRun = false } = {}) {
      const count = { found: 0, changed: 0 };
      for (const [index, { place, event }] of all.entries()) {
        if (!texts.some((text) => JSON.stringify(event).includes(text))) continue;
        const changed = change(event);
        count.found += 1;
        if (changed === undefined) continue;
        count.changed += 1;
        if (dryRun) continue;
        all[index] = { place, event: changed };
        sessions.get(event.session)![event.seq! - 1] = changed;
      }
      return count;
    },
    purge: () => true,
    close: () => undefined,
  };
}

/** Where the first event behind a place is kept. */
function firstBehind(all: readonly PlacedEvent[], place: number): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (all[middle]!.place <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Written out, since a copy by spreading takes three times the memory. */
function numberedEvent(event: PendingEvent, seq: number): BasisEvent {
  const { v, ts, session, run, parent, type, data } = event;
  if (run === undefined || parent !== undefined) return { ...event, seq } as BasisEvent;
  return { v, seq, ts, session, run, type, data } as BasisEvent;
}
