import { nextTurn } from "../../src/queue/fair-order.ts";
import { isOver, type NewTurn, type QueuedTurn } from "../../src/queue/queued-turn.ts";
import { differingParts, type QueueWorker } from "../../src/queue/turn-queue.ts";

/** A turn, how often it was claimed, and when it was the last time by the database's clock. */
export interface QueueRow {
  readonly turn: QueuedTurn;
  readonly claims: number;
  readonly claimedAt?: number | undefined;
}

/** What the queue must not do without. */
export interface QueueRules {
  /** A worker gets turns that need what it has (S23). */
  readonly fits: boolean;
  /** An id that is known is the turn that it stands for (S27). */
  readonly knowsIds: boolean;
}

/** The engine as its documentation tells it: each call is one transaction, and nobody notices that a worker has died. */
export class ModelQueue {
  readonly #rules: QueueRules;
  readonly #rows = new Map<string, QueueRow>();
  readonly #servedAt = new Map<string, number>();
  #served = 0;

  constructor(rules: QueueRules) {
    this.#rules = rules;
  }

  get isDone(): boolean {
    return this.rows.every(({ turn }) => isOver(turn));
  }

  get rows(): readonly QueueRow[] {
    return [...this.#rows.values()];
  }

  get(id: string): QueueRow | undefined {
    return this.#rows.get(id);
  }

  enqueue(turn: NewTurn, at: number): void {
    const isKnown = this.#rows.has(turn.id);
    if (isKnown && this.#rules.knowsIds) return;
    const id = isKnown ? `${turn.id}'` : turn.id;
    this.#rows.set(id, { turn: { ...turn, id, state: "waiting", queuedAt: at }, claims: 0 });
  }

  claim(worker: Pick<QueueWorker, "name" | "fit">, at: number): QueueRow | undefined {
    const turns = this.rows.map(({ turn }) => turn);
    const waiting = turns.filter(({ state }) => state === "waiting");
    const fitting = waiting.filter(({ fit }) => differingParts(fit.parts, worker.fit.parts).length === 0);
    const running = turns.filter(({ state }) => state === "running");
    const next = nextTurn({
      waiting: this.#rules.fits ? fitting : waiting,
      running,
      limits: new Map(),
      servedAt: this.#servedAt,
    });
    if (next === undefined) return undefined;
    this.#served += 1;
    this.#servedAt.set(`session:${next.sessionId}`, this.#served);
    const { claims } = this.#rows.get(next.id)!;
    return this.#put({ ...next, state: "running", worker: worker.name }, claims + 1, at);
  }

  isOf(id: string, worker: string): boolean {
    const turn = this.#rows.get(id)?.turn;
    return turn?.state === "running" && turn.worker === worker;
  }

  /** Back to its queue, whoever has it: the engine asks for no claim. */
  resume(id: string): void {
    const row = this.#rows.get(id);
    if (row?.turn.state === "running") this.#put({ ...row.turn, state: "waiting" }, row.claims);
  }

  /** The engine takes an end from the worker that it gave the turn to, and from no other. */
  complete(id: string, worker: string): void {
    if (!this.isOf(id, worker)) return;
    const { turn, claims } = this.#rows.get(id)!;
    this.#put({ ...turn, state: "ended", outcome: "completed" }, claims);
  }

  #put(turn: QueuedTurn, claims: number, claimedAt?: number): QueueRow {
    const row = { turn, claims, claimedAt };
    this.#rows.set(turn.id, row);
    return row;
  }
}
