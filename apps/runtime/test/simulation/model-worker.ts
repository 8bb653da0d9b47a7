import { isSessionError, type Lease } from "@mobkit/session";
import { insist } from "../../src/agent/transcript/insist.ts";
import { Cue } from "../../src/agent/run/cue.ts";
import { LeaseKeeper } from "../../src/agent/transcript/lease-keeper.ts";
import { holdAt } from "../../src/queue/session-hold.ts";
import type { SessionHold } from "../../src/queue/turn-queue.ts";
import type { QueuedTurn, TurnFit } from "../../src/queue/queued-turn.ts";
import type { ModelDatabase } from "./model-database.ts";
import type { ModelQueue } from "./model-queue.ts";
import { ModelSweep } from "./model-sweep.ts";
import { ModelTurn } from "./model-turn.ts";
import type { Network } from "./network.ts";
import { LEASE_MS, type Rules } from "./rules.ts";
import type { Machine, VirtualTime } from "./virtual-time.ts";

/** Where a worker works. */
export interface World {
  readonly time: VirtualTime;
  readonly network: Network;
  readonly database: ModelDatabase;
  readonly queue: ModelQueue;
  readonly rules: Rules;
  readonly random: () => number;
  /** Told before each step of a turn: faults come between two of them as well. */
  readonly step: (machine: Machine) => void;
}

const CONCURRENCY = 2;

/** A worker: it claims, takes leases, runs turns and looks after the turns of others, all over the network. */
export class ModelWorker {
  readonly name: string;
  readonly fit: TurnFit;
  readonly #machine: Machine;
  readonly #world: World;
  #running = 0;
  #leases = 0;

  constructor(machine: Machine, fit: TurnFit, world: World) {
    this.name = machine.name;
    this.fit = fit;
    this.#machine = machine;
    this.#world = world;
  }

  start(): void {
    void this.#claim();
    if (this.#world.rules.sweeps) void new ModelSweep(this, this.#world, this.#machine).start();
  }

  call<T>(work: () => Promise<T> | T): Promise<T> {
    return this.#world.network.call(this.#machine, work);
  }

  async holdOf(sessionId: string, claimedAt?: number): Promise<SessionHold> {
    const { database, rules, time } = this.#world;
    const { lease, now } = await this.call(async () => ({
      lease: (await database.store.head(sessionId)).lease,
      now: time.now,
    }));
    const own = this.#machine.clock.now();
    const asked = rules.asksTheDatabasesClock ? now : own;
    return holdAt(lease, { now: asked, marginMs: LEASE_MS / 10, claimedAt });
  }

  async #claim(): Promise<never> {
    for (;;) {
      await this.#machine.pause(20 + this.#world.random() * 60);
      if (this.#running >= CONCURRENCY) continue;
      const row = await this.call(() => this.#world.queue.claim(this, this.#world.time.now)).catch(
        () => undefined,
      );
      if (row === undefined) continue;
      this.#running += 1;
      void this.#run(row.turn).finally(() => (this.#running -= 1));
    }
  }

  async #run(turn: QueuedTurn): Promise<void> {
    const { queue } = this.#world;
    try {
      await this.#runUnderLease(turn);
      await insist(() => this.call(() => queue.complete(turn.id, this.name)));
    } catch {
      // What the worker can't put back is found by a sweep.
      const putBack = (): void => void (queue.isOf(turn.id, this.name) && queue.resume(turn.id));
      await this.call(putBack).catch(() => undefined);
    }
  }

  async #runUnderLease(turn: QueuedTurn): Promise<void> {
    const { sessionId } = turn;
    for (;;) {
      while ((await this.holdOf(sessionId)) === "held") await this.#machine.pause(100);
      const taken = await this.#acquire(sessionId);
      if (taken === undefined) {
        await this.#machine.pause(100);
        continue;
      }
      const ending = new Cue();
      const keeper = this.#keep(taken, ending);
      try {
        return await new ModelTurn(turn, {
          world: this.#world,
          worker: this,
          machine: this.#machine,
          keeper,
          signal: ending.signal,
        }).run();
      } finally {
        keeper.stop();
        if (!keeper.lost)
          await this.call(() => this.#world.database.store.releaseLease(keeper.lease)).catch(() => undefined);
      }
    }
  }

  /** As `acquireLease` of the host: a reply that got lost is adopted. */
  async #acquire(sessionId: string): Promise<Taken | undefined> {
    const { store } = this.#world.database;
    this.#leases += 1;
    const owner = `${this.name}/${this.#leases}`;
    const askedAt = this.#now();
    try {
      return {
        askedAt,
        lease: await insist(() => this.call(() => store.acquireLease(sessionId, { owner, ttlMs: LEASE_MS }))),
      };
    } catch (error) {
      if (!isSessionError(error, "lease_held")) throw error;
      if (error.details.owner !== owner) return undefined;
      const adopt = async (): Promise<Lease> => {
        const { epoch, expiresAt } = (await store.head(sessionId)).lease;
        return store.renewLease({ sessionId, owner, epoch, expiresAt: expiresAt ?? 0, ttlMs: LEASE_MS });
      };
      return { askedAt, lease: await this.call(adopt) };
    }
  }

  #keep({ lease, askedAt }: Taken, ending: Cue): LeaseKeeper {
    const { database, rules } = this.#world;
    const { clock } = this.#machine;
    const monotonicMs = rules.keepsByMonotonicClock ? clock.monotonicMs : clock.now;
    const renewLease = (held: Lease): Promise<Lease> => this.call(() => database.store.renewLease(held));
    return new LeaseKeeper({ renewLease }, lease, { clock: { ...clock, monotonicMs }, askedAt, ending });
  }

  #now(): number {
    const { clock } = this.#machine;
    return this.#world.rules.keepsByMonotonicClock ? clock.monotonicMs() : clock.now();
  }
}

interface Taken {
  readonly lease: Lease;
  readonly askedAt: number;
}
