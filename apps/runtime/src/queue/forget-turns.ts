import type { HostState } from "../store/open-state.ts";
import { askQueue } from "./open-queue.ts";
import { isOver, type QueuedTurn } from "./queued-turn.ts";
import type { TurnQueue } from "./turn-queue.ts";

const PAGE = 100;

/**
 * Forgets the turns that hold one of the texts and have ended or were cancelled. Answers how many hold one and stay: they
 * wait, run, or are dead and may be queued again.
 */
export async function forgetTurnsWith(state: HostState, forms: readonly string[]): Promise<number> {
  const left = await askQueue(state, async (queue) => {
    const holding = await turnsWith(queue, forms);
    const stays = (turn: QueuedTurn): boolean => !isOver(turn) || turn.state === "dead";
    for (const turn of holding) if (!stays(turn)) await queue.drop(turn.id);
    return holding.filter(stays).length;
  });
  return left ?? 0;
}

/** Forgets the turns of sessions that are gone; one that waits or runs still is left to its worker, which finds no session. */
export async function forgetTurnsOf(state: HostState, sessionIds: readonly string[]): Promise<void> {
  await askQueue(state, async (queue) => {
    for (const sessionId of sessionIds)
      for (const turn of await queue.list({ sessionId, limit: 1_000 }))
        if (isOver(turn)) await queue.drop(turn.id);
  });
}

async function turnsWith(queue: TurnQueue, forms: readonly string[]): Promise<readonly QueuedTurn[]> {
  const holding: QueuedTurn[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await queue.list({ limit: PAGE, offset });
    for (const turn of page) {
      const text = JSON.stringify(turn);
      if (forms.some((form) => text.includes(form))) holding.push(turn);
    }
    if (page.length < PAGE) return holding;
  }
}
