import { SessionError } from "@mobkit/session";
import type { Machine, VirtualTime } from "./virtual-time.ts";

/** The ways between the machines and the database. */
export class Network {
  readonly #time: VirtualTime;
  readonly #random: () => number;
  readonly #cutUntil = new Map<Machine, number>();
  readonly #onCut = new Map<Machine, Set<() => void>>();

  constructor(time: VirtualTime, random: () => number) {
    this.#time = time;
    this.#random = random;
  }

  isCut(machine: Machine): boolean {
    return this.#time.now < (this.#cutUntil.get(machine) ?? 0);
  }

  /** Nothing gets through for a while; who waits for an answer learns at once that none comes. */
  cut(machine: Machine, ms: number): void {
    this.#cutUntil.set(machine, Math.max(this.#cutUntil.get(machine) ?? 0, this.#time.now + ms));
    for (const fail of this.#onCut.get(machine) ?? []) fail();
  }

  /**
   * Asks the database. What is on its way when the connection is cut may still arrive, even when the way is open again, long
   * after the failure is told.
   */
  call<T>(machine: Machine, work: () => Promise<T> | T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isTold = false;
      const waiting = this.#waitersOf(machine);
      const tell = (how: () => void, ms: number): void => {
        if (isTold) return;
        isTold = true;
        waiting.delete(fail);
        machine.after(ms, how);
      };
      const fail = (): void => tell(() => reject(lost()), 1);
      if (this.isCut(machine)) return tell(() => reject(lost()), 20);
      waiting.add(fail);
      const reply = (how: () => void): void => tell(how, this.#delay());
      const arrive = async (): Promise<void> => {
        if (this.isCut(machine) && this.#random() < 0.5) return;
        if (this.isCut(machine)) await this.#untilOpen(machine);
        try {
          const answer = await work();
          reply(() => resolve(answer));
        } catch (error) {
          reply(() => reject(error));
        }
      };
      this.#time.after(this.#delay(), () => void arrive());
    });
  }

  #untilOpen(machine: Machine): Promise<void> {
    const ms = (this.#cutUntil.get(machine) ?? 0) - this.#time.now + this.#delay();
    return new Promise((resolve) => void this.#time.after(ms, resolve));
  }

  #waitersOf(machine: Machine): Set<() => void> {
    const waiters = this.#onCut.get(machine) ?? new Set();
    this.#onCut.set(machine, waiters);
    return waiters;
  }

  /** Mostly short; now and then a packet is sent again. */
  #delay(): number {
    const long = this.#random() < 0.03;
    return Math.ceil(this.#random() * (long ? 400 : 6));
  }
}

function lost(): Error {
  return new SessionError("store_unavailable", "the connection was cut", { details: { reason: "io" } });
}
