import { isPending, type Awaitable } from "./awaitable.ts";

/** Does one task at a time, in the order in which they came. What has nothing to wait for is done at once. */
export class OneAtATime {
  #last: Promise<void> | undefined;

  do<T>(task: () => Awaitable<T>): Promise<T> {
    if (this.#last) return this.#await(this.#last.then(task));
    try {
      const answer = task();
      return isPending(answer) ? this.#await(answer) : Promise.resolve(answer);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #await<T>(answer: Promise<T>): Promise<T> {
    const done = (): void => {
      if (this.#last === waiting) this.#last = undefined;
    };
    const waiting = answer.then(done, done);
    this.#last = waiting;
    return answer;
  }
}
