import type { StoreExtension } from "@mobkit/session-postgres";

/** For how long a look at the database's clock is gone by; this process's count of time drifts little meanwhile. */
const KEPT_MS = 5_000;

/**
 * The clock that sets the expiry of leases. A machine's own may be wrong by minutes: what has expired is not to be asked of
 * it. Never ahead of the database, and behind by the time of one answer at most.
 */
export class DatabaseClock {
  readonly #extension: Pick<StoreExtension, "statement">;
  #seen: { readonly at: number; readonly aheadMs: number } | undefined;

  constructor(extension: Pick<StoreExtension, "statement">) {
    this.#extension = extension;
  }

  /** Milliseconds since the epoch. @throws SessionError `store_unavailable`, `busy`. */
  async now(): Promise<number> {
    if (this.#seen === undefined || performance.now() - this.#seen.at > KEPT_MS) await this.#look();
    return Math.floor(performance.now() + this.#seen!.aheadMs);
  }

  async #look(): Promise<void> {
    const [row] = await this.#extension.statement(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now",
    );
    const at = performance.now();
    this.#seen = { at, aheadMs: Number(row!["now"]) - at };
  }
}
