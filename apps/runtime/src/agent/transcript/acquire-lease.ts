import { hostname } from "node:os";
import { newId, type Clock } from "@basis/core";
import { atOnce, isSessionError, type Lease } from "@mobkit/session";
import type { Later } from "../../events/event-log.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { Cue } from "../run/cue.ts";
import { insist } from "./insist.ts";

/** How long a lease lasts that is not renewed. */
export const LEASE_MS = 15_000;
const MARGIN_MS = 250;
/** No process takes a lease for longer. */
const PLAUSIBLE_MS = 900_000;

/** How a lease is waited for. */
export interface LeaseWait {
  readonly clock: Clock;
  /** Ends the wait when it is given. */
  readonly ending?: Cue | undefined;
  /** Told when the lease of a process that is gone has to run out first. */
  readonly waiting?: ((reason: string) => void) | undefined;
  /** Default 15 s. */
  readonly leaseMs?: number | undefined;
}

/** A lease, and when it was asked for by the clock that never goes back. */
export interface AcquiredLease {
  readonly lease: Lease;
  readonly askedAt: number;
}

/**
 * Takes a session's lease. One whose process on this machine is gone is waited for until it runs out; one that is
 * alive refuses.
 *
 * @throws SessionError `unknown_session`, `session_unavailable`, `lease_held`.
 */
export function acquireLease(store: HostStore, sessionId: string, wait: LeaseWait): Later<AcquiredLease> {
  const owner = `${thisHost()}:${process.pid}:${newId().slice(-12)}`;
  const calls = atOnce(store);
  if (calls === undefined) return acquireWithin(store, sessionId, { ...wait, owner });
  wait.ending?.throwIfAborted();
  const askedAt = wait.clock.monotonicMs();
  try {
    return { lease: calls.acquireLease(sessionId, { owner, ttlMs: wait.leaseMs ?? LEASE_MS }), askedAt };
  } catch (error) {
    if (!isSessionError(error, "lease_held")) throw error;
    return acquireWithin(store, sessionId, { ...wait, owner });
  }
}

/** Asks until the lease is there, or is refused for good. */
async function acquireWithin(
  store: HostStore,
  sessionId: string,
  { clock, ending, waiting, leaseMs = LEASE_MS, owner }: LeaseWait & { readonly owner: string },
): Promise<AcquiredLease> {
  const signal = ending?.signal;
  const request = { owner, ttlMs: leaseMs, ...(signal && { signal }) };
  let waitedFor: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = clock.monotonicMs();
    try {
      return { lease: await insist(() => store.acquireLease(sessionId, request)), askedAt };
    } catch (error) {
      if (!isSessionError(error, "lease_held")) throw error;
      const { owner: holder, expiresAt } = error.details;
      if (holder === owner) return { lease: await adoptLease(store, sessionId, request), askedAt };
      if (!isGone(holder)) throw error;
      const held = { sessionId, owner: holder, expiresAt };
      if (await releaseOutlived(store, held, { waitedFor, now: clock.now() })) continue;
      waitedFor = expiresAt;
      // This machine's clock may be far behind the one that set the expiry.
      const wait = Math.min(leaseMs, Math.max(0, expiresAt - clock.now())) + MARGIN_MS;
      waiting?.(`process ${holder} is gone; its lease runs out in ${Math.ceil(wait / 1000)} s`);
      await pause(clock, wait, signal);
    }
  }
}

/**
 * Frees a lease that nobody renewed while it was waited for, and that would last for longer than any: a clock was set back since
 * its process is gone. `waitedFor` is the expiry at the refusal before. Answers whether it was such a lease.
 */
async function releaseOutlived(
  store: HostStore,
  { sessionId, owner, expiresAt }: Pick<Lease, "sessionId" | "owner" | "expiresAt">,
  { waitedFor, now }: { readonly waitedFor: number | undefined; readonly now: number },
): Promise<boolean> {
  if (expiresAt !== waitedFor || expiresAt - now <= PLAUSIBLE_MS) return false;
  const { lease } = await store.head(sessionId);
  if (lease.owner !== owner || lease.expiresAt !== expiresAt) return false;
  return store.releaseLease({ sessionId, owner, expiresAt, epoch: lease.epoch, ttlMs: LEASE_MS });
}

/** The lease that was granted by a reply which got lost: nobody else has this owner's name. */
async function adoptLease(
  store: HostStore,
  sessionId: string,
  asked: Pick<Lease, "owner" | "ttlMs">,
): Promise<Lease> {
  const { epoch, expiresAt } = (await store.head(sessionId)).lease;
  return store.renewLease({ ...asked, sessionId, epoch, expiresAt: expiresAt ?? 0 });
}

let host: string | undefined;

/** This machine's name, as every lease of the process says it. */
function thisHost(): string {
  return (host ??= hostname());
}

/** True when the owner is a process of this machine that no longer runs. */
export function isGone(owner: string): boolean {
  const [pid, machine] = owner.split(":").slice(-3, -1).toReversed();
  const id = Number(pid);
  if (machine !== thisHost() || !Number.isSafeInteger(id) || id === process.pid) return false;
  try {
    process.kill(id, 0);
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
