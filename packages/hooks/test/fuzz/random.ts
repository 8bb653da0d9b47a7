/** Pseudo-random choices that a seed and an index repeat. */
export class Random {
  #state: number;

  constructor(seed: number, index = 0) {
    this.#state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
    for (let round = 0; round < 4; round += 1) this.#next();
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit);
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError("there is nothing to pick from");
    return items[this.below(items.length)] as Item;
  }

  /** True once in so many times. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }

  /** Source: mulberry32, a public-domain generator. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
