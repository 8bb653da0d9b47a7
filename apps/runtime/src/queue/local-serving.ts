import type { Clock } from "@basis/core";
import { nextTurn, servedKey } from "./fair-order.ts";
import type { QueuedTurn } from "./queued-turn.ts";
import { differingParts, HandBackError, type QueueWorker, type TurnEnding } from "./turn-queue.ts";

/** The queue as its worker sees it. */
export interface ServedTurns {
  readonly turns: ReadonlyMap<string, QueuedTurn>;
  readonly limits: ReadonlyMap<string, number>;
  /** Makes a turn's new state durable. */
  change(turn: QueuedTurn): Promise<void>;
}

interface Running {
  readonly ended: Promise<void>;
  readonly ending: AbortController;
}

/** Runs the turns of a queue that lies in this process. */
export class LocalServing {
  readonly #worker: QueueWorker;
  readonly #served: ServedTurns;
  readonly #running = new Map<string, Running>();
  readonly #servedAt = new Map<string, number>();
  readonly #misfits = new Set<string>();
  #count = 0;
  #isDraining = false;

  constructor(worker: QueueWorker, served: ServedTurns) {
    this.#worker = worker;
    this.#served = served;
  }

  /** Begins what may begin. */
  look(): void {
    while (!this.#isDraining && this.#running.size < this.#worker.concurrency) {
      const turn = this.#next();
      if (turn === undefined) return;
      this.#begin(turn);
    }
  }

  /** Claims nothing more; answers the turns that had to be handed back. */
  async drain(ms: number, clock: Clock): Promise<readonly string[]> {
    this.#isDraining = true;
    const all = Promise.all([...this.#running.values()].map(({ ended }) => ended));
    const late = new Promise<void>((resolve) => {
      const stop = clock.alarm(ms, resolve);
      void all.finally(stop);
    });
    await Promise.race([all, late]);
    const left = [...this.#running.entries()];
    for (const [, { ending }] of left) ending.abort(new HandBackError());
    await Promise.all(left.map(([, { ended }]) => ended));
    return left.map(([id]) => id).filter((id) => this.#served.turns.get(id)?.state === "waiting");
  }

  #next(): QueuedTurn | undefined {
    const all = [...this.#served.turns.values()];
    const running = all.filter(({ id, state }) => state === "running" || this.#running.has(id));
    const waiting = all.filter((turn) => turn.state === "waiting" && !this.#running.has(turn.id));
    for (const turn of waiting) this.#tellMisfit(turn);
    const fitting = waiting.filter(({ id }) => !this.#misfits.has(id));
    return nextTurn({ waiting: fitting, running, limits: this.#served.limits, servedAt: this.#servedAt });
  }

  #tellMisfit(turn: QueuedTurn): void {
    const { fit } = this.#worker;
    if (turn.fit.digest === fit.digest || this.#misfits.has(turn.id)) return;
    this.#misfits.add(turn.id);
    this.#worker.misfit(turn, differingParts(turn.fit.parts, fit.parts));
  }

  #begin(turn: QueuedTurn): void {
    this.#count += 1;
    this.#servedAt.set(servedKey.realm(turn.realm), this.#count);
    this.#servedAt.set(servedKey.session(turn.sessionId), this.#count);
    const ending = new AbortController();
    const ended = this.#run(turn, ending.signal).finally(() => {
      this.#running.delete(turn.id);
      this.look();
    });
    this.#running.set(turn.id, { ended, ending });
  }

  /** Never rejects: what cannot be written is seen by the next process, as a turn that was left running. */
  async #run(turn: QueuedTurn, signal: AbortSignal): Promise<void> {
    const running: QueuedTurn = { ...turn, state: "running", worker: this.#worker.name };
    try {
      await this.#served.change(running);
      await this.#served.change(endedTurn(running, await this.#outcome(running, signal)));
    } catch {
      // the store's own failure: told to whoever asks it next
    }
  }

  async #outcome(turn: QueuedTurn, signal: AbortSignal): Promise<TurnEnding | "back"> {
    try {
      return await this.#worker.run({ turn, signal, isMine: async () => true });
    } catch (error) {
      if (error instanceof HandBackError) return "back";
      return { outcome: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** A turn as it stands once its worker has let go of it. */
export function endedTurn(turn: QueuedTurn, ending: TurnEnding | "back"): QueuedTurn {
  if (ending === "back") return { ...turn, state: "waiting" };
  const { outcome, reason } = ending;
  const state = outcome === "failed" ? "dead" : "ended";
  return { ...turn, state, outcome, ...(reason !== undefined && { reason }) };
}
