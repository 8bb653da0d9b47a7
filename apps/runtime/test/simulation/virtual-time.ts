import type { Clock } from "@basis/core";

interface Due {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes from one event to the next. All that is due at a moment happens in the order in which it was asked for. */
export class VirtualTime {
  #now = 0;
  #asked = 0;
  readonly #due: Due[] = [];

  get now(): number {
    return this.#now;
  }

  /** Answers how to take it back. */
  after(ms: number, run: () => void): () => void {
    const due = { at: this.#now + Math.max(0, ms), order: (this.#asked += 1), run };
    const place = this.#due.findLastIndex((other) => other.at <= due.at) + 1;
    this.#due.splice(place, 0, due);
    return () => {
      const index = this.#due.indexOf(due);
      if (index >= 0) this.#due.splice(index, 1);
    };
  }

  /** Lets events happen, each with all that follows at once, until it is `isOver` or `ms` have passed. */
  async pass(ms: number, isOver: () => boolean): Promise<void> {
    for (let next = this.#due[0]; next !== undefined && next.at <= ms && !isOver(); next = this.#due[0]) {
      this.#due.shift();
      this.#now = next.at;
      next.run();
      await new Promise(setImmediate);
    }
  }
}

/** A process on a machine of its own: it can be killed, frozen and let go on, and its clock can be put. */
export class Machine {
  readonly name: string;
  isDead = false;
  /** How far the machine's clock is ahead. */
  aheadMs = 0;
  #frozenUntil = 0;
  readonly #time: VirtualTime;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
  }

  get isFrozen(): boolean {
    return this.#time.now < this.#frozenUntil;
  }

  /** Two days into the clock's count, as on a machine that runs for a while. */
  readonly clock: Clock = {
    now: () => this.#time.now + this.aheadMs,
    monotonicMs: () => this.#time.now + 172_800_000,
    alarm: (ms, ring) => this.after(ms, ring),
  };

  /** SIGSTOP, and SIGCONT that much later. */
  freeze(ms: number): void {
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#time.now + ms);
  }

  /** What is due at a frozen process happens when it goes on; at a dead one never. */
  after(ms: number, run: () => void): () => void {
    let cancel = this.#time.after(ms, () => {
      if (this.isDead) return;
      if (this.isFrozen) cancel = this.after(this.#frozenUntil - this.#time.now, run);
      else run();
    });
    return () => cancel();
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }
}
