import { setImmediate as untilNothingRuns } from "node:timers/promises";
import type { Dice } from "./dice.ts";

interface Waiting {
  readonly host: string;
  readonly goOn: () => void;
}

/**
 * Interleaves hosts at their calls to what is outside of them, and kills some: a killed host goes on nowhere, whatever
 * it was about. The same dice give the same order.
 */
export class HostSchedule {
  readonly #dice: Dice;
  readonly #killed = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  get kills(): number {
    return this.#killed.size;
  }

  /** Waits for the host's next turn; for ever when it was killed. */
  turn(host: string): Promise<void> {
    return new Promise((goOn) => {
      if (!this.#killed.has(host)) this.#waiting.push({ host, goOn });
    });
  }

  /** The face with every call of it at the host's turns: one before it happens, one before it is answered. */
  gated<Face extends object>(host: string, face: Face): Face {
    const gate =
      (call: (...args: unknown[]) => unknown) =>
      async (...args: unknown[]) => {
        await this.turn(host);
        const answer = await Promise.allSettled([call(...args)]);
        await this.turn(host);
        if (answer[0].status === "rejected") throw answer[0].reason;
        return answer[0].value;
      };
    const entries = Object.entries(face).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "function" ? gate(value as (...args: unknown[]) => unknown) : value,
    ]);
    return Object.fromEntries(entries) as Face;
  }

  /** Gives turns until nobody waits for one; `idle` is called now and then in between. One turn in `killEvery` kills. */
  async play(killEvery: number, idle: () => void): Promise<void> {
    await untilNothingRuns();
    while (this.#waiting.length > 0) {
      if (this.#dice(5) === 0) idle();
      const [{ host, goOn }] = this.#waiting.splice(this.#dice(this.#waiting.length), 1) as [Waiting];
      if (killEvery > 0 && this.#dice(killEvery) === 0) this.#kill(host);
      else goOn();
      await untilNothingRuns();
    }
  }

  #kill(host: string): void {
    this.#killed.add(host);
    this.#waiting = this.#waiting.filter((each) => each.host !== host);
  }
}
