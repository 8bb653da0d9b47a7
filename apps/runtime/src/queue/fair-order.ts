import type { QueuedTurn } from "./queued-turn.ts";

/** What the order of turns depends on. */
export type OrderedTurn = Pick<QueuedTurn, "id" | "sessionId" | "realm">;

/** What is known when the next turn is chosen. */
export interface QueueState<Turn extends OrderedTurn> {
  /** In the order of queueing. */
  readonly waiting: readonly Turn[];
  readonly running: readonly OrderedTurn[];
  readonly limits: ReadonlyMap<string, number>;
  /** When a realm, or a session, was last given a turn: higher is later, absent never. */
  readonly servedAt: ReadonlyMap<string, number>;
}

/** The key under which a realm, or a session, stands in `servedAt`. */
export const servedKey = {
  realm: (realm: string): string => `realm:${realm}`,
  session: (sessionId: string): string => `session:${sessionId}`,
} as const;

/**
 * The turn that is to run next: of the realm that has waited longest for one, and there of the session that has. In a
 * session one runs at a time, the oldest first; in a realm at its limit none begins.
 */
export function nextTurn<Turn extends OrderedTurn>(state: QueueState<Turn>): Turn | undefined {
  const { waiting, running, limits, servedAt } = state;
  const busy = new Set(running.map(({ sessionId }) => sessionId));
  const heads = new Map<string, Turn>();
  for (const turn of waiting) {
    const { sessionId, realm } = turn;
    const isFull = running.filter((other) => other.realm === realm).length >= (limits.get(realm) ?? Infinity);
    if (!busy.has(sessionId) && !isFull && !heads.has(sessionId)) heads.set(sessionId, turn);
  }
  const since = (key: string): number => servedAt.get(key) ?? -1;
  const rank = ({ realm, sessionId }: OrderedTurn): readonly [number, number] => [
    since(servedKey.realm(realm)),
    since(servedKey.session(sessionId)),
  ];
  let best: Turn | undefined;
  for (const turn of heads.values()) if (best === undefined || isBefore(rank(turn), rank(best))) best = turn;
  return best;
}

function isBefore([realm, session]: readonly [number, number], other: readonly [number, number]): boolean {
  return realm < other[0] || (realm === other[0] && session < other[1]);
}
