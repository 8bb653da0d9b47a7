import type { StoreExtension } from "@mobkit/session-postgres";
import type { Change, StateChanges } from "../changes.ts";

/** Looks that no notice asked for: for leases that run out, and for a connection that is away. */
const LOOK_EVERY_MS = 2000;

/**
 * What other processes change, by notices of the database on one connection, which is made when somebody first listens
 * and kept until the state is closed. What this process wrote its own listeners know already.
 */
export class PostgresChanges implements StateChanges {
  readonly #extension: StoreExtension;
  readonly #origin: string;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #ending = new AbortController();
  #hearing: Promise<void> | undefined;

  constructor(extension: StoreExtension, origin: string) {
    this.#extension = extension;
    this.#origin = origin;
  }

  listen(act: (change: Change) => void): () => void {
    this.#listeners.add(act);
    this.#hearing ??= this.#hear().catch(() => undefined);
    return () => void this.#listeners.delete(act);
  }

  lookEveryMs(otherwise: number): number {
    return Math.max(otherwise, LOOK_EVERY_MS);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#hearing;
  }

  async #hear(): Promise<void> {
    for await (const notice of this.#extension.notices({ signal: this.#ending.signal })) {
      const change = notice.kind === "told" ? this.#read(notice.text) : undefined;
      if (change === "own") continue;
      for (const act of this.#listeners) act(change);
    }
  }

  /** What is not understood means: look. */
  #read(text: string): Change | "own" {
    try {
      const told = JSON.parse(text) as readonly unknown[];
      const [kind, about, session] = told;
      if (kind === "cancel") return { cancelOf: String(about) };
      if (kind !== "events") return undefined;
      return about === this.#origin ? "own" : { session: String(session) };
    } catch {
      return undefined;
    }
  }
}
