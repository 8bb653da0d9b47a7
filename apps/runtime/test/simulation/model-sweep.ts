import type { QueueRow } from "./model-queue.ts";
import type { ModelWorker, World } from "./model-worker.ts";
import { LEASE_MS } from "./rules.ts";
import type { Machine } from "./virtual-time.ts";

const SWEEP_MS = LEASE_MS / 5;
/** As the host's: how long a turn may be claimed before its session is held. */
const GRACE_MS = LEASE_MS;

/** Looks after claimed turns, in steps between which anything may happen. */
export class ModelSweep {
  readonly #worker: ModelWorker;
  readonly #world: World;
  readonly #machine: Machine;
  readonly #free = new Map<string, { readonly claims: number; readonly since: number }>();

  constructor(worker: ModelWorker, world: World, machine: Machine) {
    this.#worker = worker;
    this.#world = world;
    this.#machine = machine;
  }

  async start(): Promise<never> {
    for (;;) {
      await this.#machine.pause(SWEEP_MS * (0.75 + this.#world.random() / 2));
      await this.#look().catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { queue } = this.#world;
    const rows = await this.#worker.call(() => queue.rows);
    for (const row of rows.filter(({ turn }) => turn.state === "running")) {
      if (!(await this.#isAbandoned(row))) continue;
      const { id } = row.turn;
      const now = await this.#worker.call(() => queue.get(id));
      if (now?.turn.state !== "running" || now.claims !== row.claims) continue;
      this.#free.delete(id);
      await this.#worker.call(() => queue.resume(id));
    }
  }

  async #isAbandoned({ turn: { id, sessionId }, claims, claimedAt }: QueueRow): Promise<boolean> {
    const hold = await this.#worker.holdOf(sessionId, claimedAt);
    if (hold === "expired") return true;
    if (hold === "held") {
      this.#free.delete(id);
      return false;
    }
    const now = this.#machine.clock.monotonicMs();
    const seen = this.#free.get(id);
    if (seen?.claims === claims) return now - seen.since >= GRACE_MS;
    this.#free.set(id, { claims, since: now });
    return false;
  }
}
