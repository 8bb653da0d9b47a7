import type { OutputStreamEvent } from "./stream-event.ts";

/** Events on their way to one reader. A snapshot that was not read yet gives way to the next. */
export class EventQueue<T> {
  readonly #waiting: OutputStreamEvent<T>[] = [];
  readonly #sleepers: (() => void)[] = [];
  #closed = false;

  push(event: OutputStreamEvent<T>): void {
    if (this.#closed) return;
    const last = this.#waiting.at(-1);
    if (event.type === "partial" && last?.type === "partial") this.#waiting.pop();
    this.#waiting.push(event);
    this.#wake();
  }

  /** Nothing more comes, and nobody reads. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    for (const sleeper of this.#sleepers.splice(0)) sleeper();
  }

  /** The next event; undefined when there is none any more. */
  async next(): Promise<OutputStreamEvent<T> | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => this.#sleepers.push(resolve));
    }
    return this.#waiting.shift();
  }
}
