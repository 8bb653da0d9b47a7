import { QueueError } from "./queue-error.ts";
import type { QueuedTurn } from "./queued-turn.ts";
import type { RealmCounts } from "./turn-queue.ts";

/** @see QueueErrorDetails.queue_full */
export function queueFull(realm: string, waiting: number, maxWaiting: number): QueueError<"queue_full"> {
  const message = `${waiting} turns of realm '${realm}' wait already: try again when some have run, or start more workers`;
  return new QueueError("queue_full", message, { details: { realm, waiting, maxWaiting } });
}

/** The realms that have turns or a limit, by name. */
export function countsOf(
  turns: readonly Pick<QueuedTurn, "realm" | "state">[],
  limits: ReadonlyMap<string, number>,
): readonly RealmCounts[] {
  const realms = [...new Set([...turns.map(({ realm }) => realm), ...limits.keys()])].toSorted();
  return realms.map((realm) => {
    const own = turns.filter((turn) => turn.realm === realm);
    const count = (state: QueuedTurn["state"]): number => own.filter((turn) => turn.state === state).length;
    const limit = limits.get(realm);
    return {
      realm,
      waiting: count("waiting"),
      running: count("running"),
      dead: count("dead"),
      ...(limit !== undefined && { limit }),
    };
  });
}

/** The ids of turns by their session, in the order in which they come. */
export function groupIds(
  turns: Iterable<Pick<QueuedTurn, "id" | "sessionId">>,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, sessionId } of turns) {
    const ids = groups.get(sessionId);
    if (ids === undefined) groups.set(sessionId, [id]);
    else ids.push(id);
  }
  return groups;
}
