import { isSessionError } from "@mobkit/session";
import { everySession } from "../store/every-session.ts";
import type { HostState } from "../store/open-state.ts";
import { askQueue } from "./open-queue.ts";
import { QueueError } from "./queue-error.ts";
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

/** Forgets the turns of a session that have ended; what waits or runs stays. */
export async function forgetEndedTurnsOf(state: HostState, sessionId: string): Promise<void> {
  await askQueue(state, async (queue) => {
    for (const id of (await queue.idsBySession()).get(sessionId) ?? []) await forgetEnded(queue, id);
  });
}

/**
 * Takes the turns of sessions that are gone out of the queue and forgets them; without names, those of every session that
 * is not there any more. One that a worker has claimed ends there, since it has no session, and is forgotten the next time.
 */
export async function forgetOrphanTurns(state: HostState, sessionIds?: readonly string[]): Promise<void> {
  await askQueue(state, async (queue) => {
    const ids = await queue.idsBySession();
    for (const sessionId of sessionIds ?? (await goneOf(state, ids.keys())))
      for (const id of ids.get(sessionId) ?? []) {
        await queue.cancel(id).catch(passUnknown);
        await forgetEnded(queue, id);
      }
  });
}

/** Those that are deleted, or were never there. A list lacks what was begun behind it, so those that it lacks are asked for. */
async function goneOf({ store }: HostState, sessionIds: Iterable<string>): Promise<readonly string[]> {
  const unseen = new Set(sessionIds);
  if (unseen.size > 0) for await (const { id } of everySession(store)) unseen.delete(id);
  const gone: string[] = [];
  for (const sessionId of unseen) {
    const head = await store.head(sessionId).catch(unlessUnknown);
    if (head === undefined || head.state === "tombstone") gone.push(sessionId);
  }
  return gone;
}

function unlessUnknown(error: unknown): undefined {
  if (!isSessionError(error, "unknown_session")) throw error;
}

async function forgetEnded(queue: TurnQueue, id: string): Promise<void> {
  const turn = await queue.get(id);
  if (turn !== undefined && isOver(turn)) await queue.drop(id).catch(passUnknown);
}

/** Somebody else has forgotten it meanwhile. */
function passUnknown(error: unknown): void {
  if (!(error instanceof QueueError && error.code === "unknown_turn")) throw error;
}

async function turnsWith(queue: TurnQueue, forms: readonly string[]): Promise<readonly QueuedTurn[]> {
  const holding: QueuedTurn[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await queue.list({ limit: PAGE, offset });
    for (const turn of page) {
      const text = JSON.stringify(spokenIn(turn));
      if (forms.some((form) => text.includes(form))) holding.push(turn);
    }
    if (page.length < PAGE) return holding;
  }
}

/** The sessions that have a turn which waits or runs. */
export async function sessionsWithTurns(state: HostState): Promise<ReadonlySet<string>> {
  const ids = await askQueue(state, (queue) => queue.idsBySession(["waiting", "running"]));
  return new Set(ids?.keys());
}

/** What somebody said in a turn; not what it is called, where it stands and what it needs. */
function spokenIn({ prompt, images = [], output, reason }: QueuedTurn): readonly unknown[] {
  const shown = images.map(({ name }) => name);
  const said = [prompt, ...shown, output?.name, output?.description, output?.schema, reason];
  return said.filter((each) => each !== undefined);
}
