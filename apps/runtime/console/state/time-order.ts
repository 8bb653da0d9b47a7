import type { Arrival, EventStore } from "./event-store.ts";
import { fold } from "./fold.ts";
import { emptyModel, type Model } from "./model.ts";
import type { Recording } from "./recording.ts";
import { readLine } from "./told-event.ts";

/** Where the lines of a store stand, by their time; a session's own order stands above its clock. */
export function inTimeOrder({ arrivals }: EventStore): readonly Arrival[] {
  const latest = new Map<string, number>();
  const placed = arrivals
    .toSorted((a, b) => a.seq - b.seq)
    .map((arrival) => {
      const at = Math.max(latest.get(arrival.session) ?? Number.NEGATIVE_INFINITY, arrival.at);
      latest.set(arrival.session, at);
      return { ...arrival, at };
    });
  return placed.toSorted((a, b) => a.at - b.at || order(a.session, b.session) || a.seq - b.seq);
}

/** The lines that a store holds, by their time. */
export function linesInOrder(store: EventStore): readonly string[] {
  return inTimeOrder(store).map(({ session, seq }) => store.line(session, seq)!);
}

/** The log as it was after so many of its events. */
export interface Moment {
  readonly count: number;
  readonly model: Model;
  /** When the last of them was told. */
  readonly at: number | undefined;
  /** The lines that it is read from: with others it is another one. */
  readonly order: readonly Arrival[];
  readonly store: EventStore;
  readonly revision: number;
}

/** What the first events of a recording told, by their time. From an earlier moment only what came since is taken in. */
export function asOf({ store }: Recording, count: number, earlier?: Moment): Moment {
  const isOfNow = earlier?.store === store && earlier.revision === store.revision;
  const order = isOfNow ? earlier.order : inTimeOrder(store);
  const isLater = isOfNow && earlier.count <= count;
  const model = isLater ? earlier.model : emptyModel();
  const first = isLater ? Math.max(0, earlier.count - store.dropped) : 0;
  const end = Math.max(0, count - store.dropped);
  for (const { session, seq } of order.slice(first, end)) fold(model, readLine(store.line(session, seq)!));
  // Another object, since what is drawn of one is not drawn anew.
  return { count, model: { ...model }, at: order[end - 1]?.at, order, store, revision: store.revision };
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
