import type { Dice } from "../../src/conformance/random-walk.ts";

/** What an actor does; it awaits nothing but its turns. */
export type Actor = (turn: Turn) => Promise<void>;

/**
 * One call of an actor. It waits for the actor's turn before the call and once more before the answer; an actor that is
 * killed while it waits goes on never again: the call didn't happen, or its answer was lost.
 */
export interface Turn {
  <T>(call: () => Promise<T>): Promise<T>;
  /** Waits for a turn inside a call. */
  wait(): Promise<void>;
}

/** Interleaves actors at random and kills some of them. The same dice give the same order. */
export class Schedule {
  readonly #dice: Dice;
  readonly #crashEvery: number;
  readonly #waiting: (() => void)[] = [];
  readonly #failures: unknown[] = [];
  #running = 0;
  #quiet: () => void = () => undefined;
  turns = 0;
  crashes = 0;

  /** Kills at one turn in `crashEvery`; 0 kills nobody. */
  constructor(dice: Dice, crashEvery: number) {
    this.#dice = dice;
    this.#crashEvery = crashEvery;
  }

  /** Runs the actors until each has ended or was killed; calls `look` whenever all of them wait. Rethrows an actor's failure. */
  async play(actors: readonly Actor[], look: () => void): Promise<void> {
    await this.#untilQuiet(() => actors.forEach((actor) => this.#start(actor)));
    while (this.#waiting.length > 0) {
      look();
      if (this.#crashEvery > 0 && this.#dice(this.#crashEvery) === 0) {
        this.#take();
        this.crashes += 1;
        continue;
      }
      // Two at once meet inside the store as well, wherever it awaits something itself.
      const chosen = this.#dice(3) === 0 && this.#waiting.length > 1 ? 2 : 1;
      const goOn = Array.from({ length: chosen }, () => this.#take());
      await this.#untilQuiet(() => {
        this.turns += goOn.length;
        this.#running += goOn.length;
        for (const each of goOn) each();
      });
      if (this.#failures.length > 0) throw this.#failures[0];
    }
    look();
  }

  #start(actor: Actor): void {
    this.#running += 1;
    const wait = (): Promise<void> =>
      new Promise((resolve) => {
        this.#waiting.push(resolve);
        this.#rest();
      });
    const turn = async <T>(call: () => Promise<T>): Promise<T> => {
      await wait();
      const answer = await call().catch(async (error: unknown) => {
        await wait();
        throw error;
      });
      await wait();
      return answer;
    };
    actor(Object.assign(turn, { wait }))
      .catch((error: unknown) => this.#failures.push(error))
      .finally(() => this.#rest());
  }

  #take(): () => void {
    return this.#waiting.splice(this.#dice(this.#waiting.length), 1)[0]!;
  }

  #rest(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#quiet();
  }

  #untilQuiet(begin: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#quiet = resolve;
      begin();
    });
  }
}
