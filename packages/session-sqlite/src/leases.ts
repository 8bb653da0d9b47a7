import type { SessionStore } from "@mobkit/session";
import { checkLease, planAcquire, planRelease, planRenew } from "@mobkit/session/rules";
import { requireSession, writeLease } from "./session-rows.ts";
import type { StoreContext } from "./store-context.ts";

/** The leases of a store: taken, renewed and freed by compare-and-set on the session's row. */
export function sqliteLeases<M>({
  connection,
  commits,
  clock,
}: StoreContext<M>): Pick<SessionStore<M>, "acquireLease" | "renewLease" | "releaseLease"> {
  return {
    acquireLease: (sessionId, request) =>
      commits.submit(() => {
        const { key, record } = requireSession(connection, sessionId);
        const step = planAcquire(record, request, clock.now());
        writeLease(connection, key, step.session);
        return step.lease;
      }, request.signal),
    renewLease: async (lease, options = {}) => {
      checkLease(lease);
      return commits.submit(() => {
        const { key, record } = requireSession(connection, lease.sessionId);
        const step = planRenew(record, lease, { now: clock.now(), ttlMs: options.ttlMs });
        writeLease(connection, key, step.session);
        return step.lease;
      }, options.signal);
    },
    releaseLease: async (lease, options = {}) => {
      checkLease(lease);
      return commits.submit(() => {
        const { key, record } = requireSession(connection, lease.sessionId);
        const released = planRelease(record, lease);
        if (released !== undefined) writeLease(connection, key, released);
        return released !== undefined;
      }, options.signal);
    },
  };
}
