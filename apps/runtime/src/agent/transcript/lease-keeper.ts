import type { Clock } from "@basis/core";
import { isSessionError, type Lease } from "@mobkit/session";
import { whenThere, type Later } from "../../events/event-log.ts";
import type { HostStore } from "../../store/host-store.ts";
import { acquireLease, type LeaseWait } from "./acquire-lease.ts";
import type { Cue } from "../run/cue.ts";

/** Aborts a turn whose lease somebody else took, or may have taken. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor(sessionId: string, how: "taken" | "run out") {
    super(
      how === "taken"
        ? `the lease of session ${sessionId} was taken by another process`
        : `the lease of session ${sessionId} ran out while the store did not answer`,
    );
  }
}

/** What a lease is kept with. */
export interface LeaseKeeping {
  readonly clock: Clock;
  /** When the lease was asked for, by the clock that never goes back. */
  readonly askedAt: number;
  /** Aborted with a `LeaseLostError` when the lease is lost. */
  readonly ending?: Cue | undefined;
}

/** Takes a session's lease and keeps it. @throws SessionError as `acquireLease`. */
export function keepLease(store: HostStore, sessionId: string, wait: LeaseWait): Later<LeaseKeeper> {
  const { clock, ending } = wait;
  return whenThere(
    acquireLease(store, sessionId, wait),
    ({ lease, askedAt }) => new LeaseKeeper(store, lease, { clock, askedAt, ending }),
  );
}

/**
 * Holds a session's lease and renews it in time. How long it still holds is told by the monotonic clock from the moment at
 * which it was last asked for, so it never seems to hold longer than it does.
 */
export class LeaseKeeper {
  readonly #store: Pick<HostStore, "renewLease">;
  readonly #keeping: LeaseKeeping;
  #lease: Lease;
  #validUntil: number;
  #lost = false;
  #stopped = false;
  /** The lease is given back, or about to be: no renewal means anything any more. */
  #freeing = false;
  #renewing: Promise<void> | undefined;
  #stopAlarm: (() => void) | undefined;

  constructor(store: Pick<HostStore, "renewLease">, lease: Lease, keeping: LeaseKeeping) {
    this.#store = store;
    this.#lease = lease;
    this.#keeping = keeping;
    this.#validUntil = keeping.askedAt + lease.ttlMs;
    this.#schedule();
  }

  get lease(): Lease {
    return this.#lease;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /**
   * Sees to it, just before an effect, that the lease is held for a while yet (S24): for a third of its time at least.
   * @throws LeaseLostError
   */
  confirm(): Later<void> {
    if (this.#isShort()) return this.#lengthen();
  }

  async #lengthen(): Promise<void> {
    await this.#renew();
    // That one may have been on its way since before the process was frozen.
    if (this.#isShort()) await this.#renew();
    if (!this.#isShort()) return;
    this.lose("run out");
    throw new LeaseLostError(this.#lease.sessionId, "run out");
  }

  #isShort(): boolean {
    return this.#lost || this.#remaining() < this.#lease.ttlMs / 3;
  }

  /** A write that frees the lease is on its way. */
  holdStill(): void {
    this.#freeing = true;
    this.#stopAlarm?.();
  }

  /** That write failed: the lease is held on. */
  goOn(): void {
    this.#freeing = false;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#stopAlarm?.();
  }

  lose(how: "taken" | "run out"): void {
    this.#stopAlarm?.();
    if (this.#lost) return;
    this.#lost = true;
    this.#keeping.ending?.abort(new LeaseLostError(this.#lease.sessionId, how));
  }

  #remaining(): number {
    return this.#validUntil - this.#keeping.clock.monotonicMs();
  }

  #schedule(): void {
    this.#stopAlarm?.();
    if (this.#stopped || this.#lost || this.#freeing) return;
    const due = Math.min((this.#lease.ttlMs * 4) / 15, this.#remaining());
    this.#stopAlarm = this.#keeping.clock.alarm(Math.max(0, due), () => this.#renewInTime());
  }

  /** Renews it and, should the store not answer, lets it run out. */
  #renewInTime(): void {
    const left = Math.max(0, this.#remaining());
    this.#stopAlarm = this.#keeping.clock.alarm(left, () => void this.#runOut());
    void this.#renew().then(() => this.#schedule());
  }

  /** A process that was frozen finds its renewal and its expiry due at once: the renewal may still succeed. */
  async #runOut(): Promise<void> {
    const { clock } = this.#keeping;
    const late = new Promise<void>((resolve) => void clock.alarm(this.#lease.ttlMs / 15, resolve));
    await Promise.race([this.#renew(), late]);
    if (this.#stopped || this.#freeing) return;
    if (this.#remaining() <= 0) this.lose("run out");
  }

  /** What the store does not answer is asked again, until the lease has run out. */
  #renew(): Promise<void> {
    if (this.#lost) return Promise.resolve();
    this.#renewing ??= this.#ask().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #ask(): Promise<void> {
    const askedAt = this.#keeping.clock.monotonicMs();
    try {
      this.#lease = await this.#store.renewLease(this.#lease);
      this.#validUntil = askedAt + this.#lease.ttlMs;
    } catch (error) {
      if (isSessionError(error, "stale_fence") && !this.#stopped && !this.#freeing) this.lose("taken");
    }
  }
}
