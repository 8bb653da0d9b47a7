import type { QueuedTurn } from "./queued-turn.ts";

/** What a queue keeps of itself. */
export interface KeptQueue {
  readonly turns: readonly QueuedTurn[];
  readonly limits: ReadonlyMap<string, number>;
}

/** Where the queue of one process keeps its turns. Everything is durable when it answers. */
export interface TurnRows {
  load(): Promise<KeptQueue>;
  put(turn: QueuedTurn): Promise<void>;
  remove(id: string): Promise<void>;
  limit(realm: string, limit: number | undefined): Promise<void>;
}

/** Rows that are lost with the process. */
export function memoryTurnRows(): TurnRows {
  const turns = new Map<string, QueuedTurn>();
  const limits = new Map<string, number>();
  return {
    load: async () => ({ turns: [...turns.values()], limits: new Map(limits) }),
    put: async (turn) => void turns.set(turn.id, turn),
    remove: async (id) => void turns.delete(id),
    limit: async (realm, limit) =>
      void (limit === undefined ? limits.delete(realm) : limits.set(realm, limit)),
  };
}
