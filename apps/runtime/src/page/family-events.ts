import type { BasisEvent } from "../events/event-schema.ts";
import type { HostState } from "../store/open-state.ts";

/** Most sessions of a family. */
const MAX_SESSIONS = 1000;

/**
 * The logs of a session, of those that it was forked from, of its forks and of every child, one log after the other.
 * Sessions that were deleted, and those beyond a thousand, are left out.
 */
export async function* familyEvents(
  { store, events }: Pick<HostState, "store" | "events">,
  session: string,
): AsyncGenerator<BasisEvent, void, undefined> {
  const found = new Set<string>([session]);
  const add = (id: string): void => void (found.size < MAX_SESSIONS && found.add(id));
  // A set that grows while it is walked is walked to its end.
  for (const id of found) {
    for await (const event of events.read(id)) {
      if (event.type === "child_started") add(event.data.child_session);
      if (event.type === "fork_committed") add(event.data.fork_session);
      if (event.parent !== undefined) add(event.parent.session);
      yield event;
    }
    const parent = await store.head(id).then(
      (record) => record.parent,
      () => null,
    );
    if (parent !== null) add(parent.sessionId);
  }
}
