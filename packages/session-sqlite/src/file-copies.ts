import { untilUnlocked } from "./lock-wait.ts";
import type { StoreConnection } from "./store-connection.ts";

/** The copies that are being made of an open file. */
export class FileCopies {
  readonly #connection: StoreConnection;
  #running: Promise<unknown> = Promise.resolve();

  constructor(connection: StoreConnection) {
    this.#connection = connection;
  }

  /** Copies the database into an empty file, which failures call `as`. Waits while the database is locked. */
  async copyTo(target: string, named: { as: string; signal: AbortSignal | undefined }): Promise<void> {
    const { busyTimeoutMs } = this.#connection;
    const wait = { path: named.as, busyTimeoutMs, signal: named.signal };
    const copying = untilUnlocked(() => this.#connection.copyTo(target), wait);
    this.#running = Promise.allSettled([this.#running, copying]);
    await copying;
  }

  /** Resolves when no copy is being made. */
  ended(): Promise<unknown> {
    return this.#running;
  }
}
