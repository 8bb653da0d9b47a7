import type { Lease, SessionRecord, SessionStore } from "@mobkit/session";
import { checkLease, planAcquire, planRelease, planRenew } from "@mobkit/session/rules";
import { requireSession, updateSession } from "./session-rows.ts";
import type { StoreContext } from "./store-context.ts";

/** The leases of a store, by the database's clock: taken, renewed and freed under the session's row lock. */
export function postgresLeases<M>(
  context: StoreContext<M>,
): Pick<SessionStore<M>, "acquireLease" | "renewLease" | "releaseLease"> {
  const { time } = context;
  return {
    acquireLease: async (sessionId, request) => {
      const asked = { sessionId, signal: request.signal };
      const lease = await step(context, asked, (record, nowMs) =>
        planAcquire(record, request, time.at(nowMs)),
      );
      return lease!;
    },
    renewLease: async (lease, options = {}) => {
      checkLease(lease);
      const asked = { sessionId: lease.sessionId, signal: options.signal };
      const renewed = await step(context, asked, (record, nowMs) =>
        planRenew(record, lease, { now: time.at(nowMs), ttlMs: options.ttlMs }),
      );
      return renewed!;
    },
    releaseLease: async (lease, options = {}) => {
      checkLease(lease);
      const { sessionId } = lease;
      const released = await step(context, { sessionId, signal: options.signal }, (record) => {
        const session = planRelease(record, lease);
        return session && { session, lease };
      });
      return released !== undefined;
    },
  };
}

type Planned = { readonly session: SessionRecord; readonly lease: Lease };

async function step<M>(
  { transactions, cache }: StoreContext<M>,
  asked: { readonly sessionId: string; readonly signal: AbortSignal | undefined },
  plan: (record: SessionRecord, nowMs: number) => Planned | undefined,
): Promise<Lease | undefined> {
  const { sessionId, signal } = asked;
  cache.forget(sessionId);
  const done = await transactions.write(async (sql) => {
    const { key, version, record, nowMs } = await requireSession(sql, sessionId, "write");
    const planned = plan(record, nowMs);
    if (planned === undefined) return { answer: undefined, writes: [] };
    const known = { key, version: version + 1, record: planned.session };
    return { answer: { lease: planned.lease, known }, writes: [updateSession(key, planned.session)] };
  }, signal);
  if (done !== undefined) cache.keep(done.known);
  return done?.lease;
}
