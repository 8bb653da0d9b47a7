import { hostname } from "node:os";
import { newId, systemClock, type Clock } from "@basis/core";
import {
  isSessionError,
  type AppendRequest,
  type CancelRequest,
  type Lease,
  type SessionChange,
  type SessionRecord,
  type WriteResult,
} from "@mobkit/session";
import type { HostStore } from "../store/host-store.ts";
import type { ModelMessage } from "../providers/model.ts";

const TTL_MS = 15_000;
const RENEW_MS = 4_000;
const MARGIN_MS = 250;
const RETRIES = 3;

type Fenced = "lease" | "expectedRev" | "writeId" | "signal";

/** Aborts a turn whose lease somebody else took. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/** How a writer is opened. */
export interface WriterOptions {
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the lease of a process that is gone has to run out first. */
  readonly waiting?: ((reason: string) => void) | undefined;
}

/**
 * The one writer of a session: holds its lease, renews it, and puts writes in a row, each on the revision that the one
 * before it left. A write whose reply was lost is asked for again under the same write id.
 */
export class SessionWriter {
  readonly #store: HostStore;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  #lease: Lease;
  #head: SessionRecord;
  #rev: number;
  #len: number;
  #tail: Promise<unknown> = Promise.resolve();
  #stopRenewal: () => void = () => undefined;

  private constructor(store: HostStore, held: { lease: Lease; head: SessionRecord }, clock: Clock) {
    const { lease, head } = held;
    this.#store = store;
    this.#lease = lease;
    this.#head = head;
    this.#rev = head.rev;
    this.#len = head.len;
    this.#clock = clock;
    this.#scheduleRenewal();
  }

  /**
   * Takes the session's lease. A lease whose process on this machine is gone is waited for until it runs out; one that
   * is alive refuses.
   *
   * @throws SessionError `unknown_session`, `session_unavailable`, `lease_held`.
   */
  static async open(
    store: HostStore,
    sessionId: string,
    options: WriterOptions = {},
  ): Promise<SessionWriter> {
    const clock = options.clock ?? systemClock;
    const lease = await acquire(store, sessionId, { ...options, clock });
    return new SessionWriter(store, { lease, head: await store.head(sessionId) }, clock);
  }

  /** The session as it was when the lease was taken. */
  get head(): SessionRecord {
    return this.#head;
  }

  /** The length after the last write. */
  get len(): number {
    return this.#len;
  }

  /** Aborts when the lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  append(
    messages: readonly ModelMessage[],
    change: Omit<AppendRequest<ModelMessage, never>, Fenced | "messages"> = {},
  ): Promise<WriteResult> {
    return this.#write((fence) =>
      this.#store.append(this.#lease.sessionId, { ...change, ...fence, messages }),
    );
  }

  update(change: Omit<SessionChange<never>, Fenced>): Promise<WriteResult> {
    return this.#write((fence) => this.#store.update(this.#lease.sessionId, { ...change, ...fence }));
  }

  cancel(change: Omit<CancelRequest<ModelMessage, never>, Fenced>): Promise<WriteResult> {
    return this.#write((fence) => this.#store.cancel(this.#lease.sessionId, { ...change, ...fence }));
  }

  /** Waits for the writes under way and lets go of the lease. */
  async close(): Promise<void> {
    this.#stopRenewal();
    await this.#tail.catch(() => undefined);
    await this.#store.releaseLease(this.#lease).catch(() => false);
  }

  #write(
    send: (fence: { lease: Lease; expectedRev: number; writeId: string }) => Promise<WriteResult>,
  ): Promise<WriteResult> {
    const writeId = newId();
    const next = this.#tail.then(async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const result = await send({ lease: this.#lease, expectedRev: this.#rev, writeId });
          this.#rev = result.rev;
          this.#len = result.len;
          return result;
        } catch (error) {
          if (isSessionError(error, "stale_fence")) this.#lose();
          const unclear = isSessionError(error, "busy") || isSessionError(error, "store_unavailable");
          if (!unclear || attempt === RETRIES) throw error;
        }
      }
    });
    this.#tail = next.catch(() => undefined);
    return next;
  }

  #scheduleRenewal(): void {
    this.#stopRenewal = this.#clock.alarm(RENEW_MS, () => {
      this.#store
        .renewLease(this.#lease)
        .then(
          (lease) => {
            this.#lease = lease;
          },
          (error: unknown) => {
            if (isSessionError(error, "stale_fence")) this.#lose();
          },
        )
        .finally(() => {
          if (!this.#lost.signal.aborted) this.#scheduleRenewal();
        })
        .catch(() => undefined);
    });
  }

  #lose(): void {
    this.#stopRenewal();
    this.#lost.abort(
      new LeaseLostError(`the lease of session ${this.#lease.sessionId} was taken by another process`),
    );
  }
}

async function acquire(
  store: HostStore,
  sessionId: string,
  { clock, signal, waiting }: WriterOptions & { readonly clock: Clock },
): Promise<Lease> {
  const owner = `${hostname()}:${process.pid}`;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await store.acquireLease(sessionId, { owner, ttlMs: TTL_MS, ...(signal && { signal }) });
    } catch (error) {
      if (!isSessionError(error, "lease_held") || !isGone(error.details.owner)) throw error;
      const wait = Math.max(0, error.details.expiresAt - clock.now()) + MARGIN_MS;
      waiting?.(`process ${error.details.owner} is gone; its lease runs out in ${Math.ceil(wait / 1000)} s`);
      await pause(clock, wait, signal);
    }
  }
}

/** True when the owner is a process of this machine that no longer runs. */
function isGone(owner: string): boolean {
  const [host, pid] = [
    owner.slice(0, owner.lastIndexOf(":")),
    Number(owner.slice(owner.lastIndexOf(":") + 1)),
  ];
  if (host !== hostname() || !Number.isSafeInteger(pid) || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Waits; the process stays alive meanwhile. */
function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const keepAlive = setInterval(() => undefined, 1000);
    const end = (): void => {
      clearInterval(keepAlive);
      signal?.removeEventListener("abort", onAbort);
    };
    const cancel = clock.alarm(ms, () => {
      end();
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      end();
      reject(signal!.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
