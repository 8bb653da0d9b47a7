import { cancelRun, type CancelOptions } from "../runs/cancel-run.ts";
import { stopRequest } from "../agent/turn/cancel-watch.ts";
import type { HostState } from "../store/open-state.ts";
import { isOver, type QueuedTurn } from "./queued-turn.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** What ends queued turns. */
export interface EndingPlace {
  readonly state: HostState;
  readonly queue: Pick<TurnQueue, "get" | "cancel" | "ended">;
}

/**
 * Takes a turn out of the queue that waits there; true when nothing of it had run. What a worker had begun of it is left
 * to whoever rolls runs back.
 */
export async function takeOut(
  { state, queue }: EndingPlace,
  { id, sessionId, state: standing }: QueuedTurn,
): Promise<boolean> {
  if (standing !== "waiting" || !(await queue.cancel(id))) return false;
  return (await state.store.head(sessionId)).runTurn !== id;
}

/** Rolls back a turn that a worker has begun, wherever that worker is. Resolves once it has ended. */
export async function rollBackQueued(
  { state }: EndingPlace,
  { id, sessionId }: QueuedTurn,
  options: CancelOptions,
): Promise<void> {
  await cancelRun(state, { session: sessionId, run: id }, options);
}

/** Asks the worker that runs a turn to end it and keep its work. Resolves once it has ended. */
export async function stopQueued(
  { state, queue }: EndingPlace,
  { id, sessionId }: QueuedTurn,
  signal: AbortSignal,
): Promise<void> {
  const { cancels } = state.ledger;
  const runId = stopRequest(id);
  await cancels.ask({ runId, sessionId, at: Date.now() });
  try {
    const turn = await queue.get(id);
    if (turn !== undefined && !isOver(turn)) await queue.ended(id, signal);
  } finally {
    await cancels.settle(runId);
  }
}
