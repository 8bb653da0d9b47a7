import type { BasisEvent } from "../events/event-schema.ts";
import { SessionChanges } from "../store/changes.ts";
import type { HostState } from "../store/open-state.ts";
import { isOver, type QueuedTurn } from "./queued-turn.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** What is followed, and where. */
export interface Following {
  readonly state: HostState;
  readonly queue: Pick<TurnQueue, "get">;
  readonly turn: Pick<QueuedTurn, "id" | "sessionId">;
  readonly signal: AbortSignal;
}

/** How long a look is put off where nobody tells of changes. */
const LOOK_EVERY_MS = 250;

/**
 * The events of a queued turn's run, as they are written, whichever worker runs it; up to its last one, or to the moment
 * at which the queue says that there will be none.
 */
export async function* followTurn({ state, queue, turn, signal }: Following): AsyncGenerator<BasisEvent> {
  const { id, sessionId } = turn;
  const changes = new SessionChanges(state.changes, sessionId, LOOK_EVERY_MS);
  const log = { after: 0, isOver: false };
  try {
    for (let isLast = false; ; isLast = await hasEnded(queue, id)) {
      yield* newEvents(state, turn, log);
      if (log.isOver || isLast) return;
      await changes.next(signal);
    }
  } finally {
    changes.end();
  }
}

/** The events of the turn's run behind the last one that was read. */
async function* newEvents(
  { events }: HostState,
  { id, sessionId }: Following["turn"],
  log: { after: number; isOver: boolean },
): AsyncGenerator<BasisEvent> {
  for await (const event of events.read(sessionId, { after: log.after })) {
    log.after = event.seq ?? log.after;
    if (event.run === id) yield event;
    log.isOver ||= event.run === id && event.type === "run_finished";
  }
}

/** Whether what is read next is all that there will be. */
async function hasEnded(queue: Following["queue"], id: string): Promise<boolean> {
  const turn = await queue.get(id);
  return turn === undefined || isOver(turn);
}
