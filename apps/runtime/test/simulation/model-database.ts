import { memoryStore, type Lease, type ModelMessage } from "@mobkit/session";
import type { VirtualTime } from "./virtual-time.ts";

/** Something done in the world, which nobody can take back. */
export interface Effect {
  /** The call that it belongs to: the same in every attempt. */
  readonly call: string;
  readonly machine: string;
}

/** The sessions' store under its own rules, by the database's clock, and what an onlooker sees that knows everything. */
export class ModelDatabase {
  readonly effects: Effect[] = [];
  readonly wrongs: string[] = [];
  /** Who took a session's lease, and when. */
  readonly takings: { readonly session: string; readonly machine: string; readonly at: number }[] = [];
  /** Calls of which somebody wrote down that they would begin. */
  readonly intents = new Set<string>();
  readonly store;
  readonly #epochs = new Map<string, number>();
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) {
    this.#time = time;
    const store = memoryStore({
      clock: {
        now: () => time.now,
        monotonicMs: () => time.now,
        alarm: (ms, ring) => time.after(ms, ring),
      },
    });
    this.store = {
      ...store,
      acquireLease: async (...[sessionId, request]: Parameters<typeof store.acquireLease>) => {
        const lease = await store.acquireLease(sessionId, request);
        this.#epochs.set(sessionId, lease.epoch);
        this.takings.push({ session: sessionId, machine: request.owner.split("/")[0]!, at: time.now });
        return lease;
      },
    };
  }

  /** A write under a lease was taken. */
  wrote(lease: Lease): void {
    const current = this.#epochs.get(lease.sessionId);
    if (current !== lease.epoch)
      this.wrongs.push(`wrote after a takeover: in epoch ${lease.epoch} of ${current}`);
  }

  /** A tool touches the world now. */
  act(effect: Effect, lease: Lease): void {
    const current = this.#epochs.get(lease.sessionId);
    if (current !== lease.epoch)
      this.wrongs.push(
        `acted after a takeover: ${effect.machine} in epoch ${lease.epoch} of ${current} at ${this.#time.now}`,
      );
    if (this.effects.some(({ call }) => call === effect.call))
      this.wrongs.push(`acted twice: ${effect.call}`);
    this.effects.push(effect);
  }

  async rowsOf(
    sessionId: string,
  ): Promise<readonly { readonly turn: string | null; readonly body: ModelMessage }[]> {
    const rows = [];
    for await (const { turnId, body } of this.store.read(sessionId)) rows.push({ turn: turnId, body });
    return rows;
  }
}
