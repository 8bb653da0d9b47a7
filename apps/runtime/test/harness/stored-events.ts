import type { EventRange } from "../../src/events/event-log.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import type { HostState } from "../../src/store/open-state.ts";

/** Everything in a range. */
export async function allOf<T>(range: EventRange<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of range) items.push(item);
  return items;
}

/** The stored events of a session, in order. */
export function storedEvents({ events }: Pick<HostState, "events">, session: string): Promise<BasisEvent[]> {
  return allOf(events.read(session));
}
