import type { SessionChange, WriteResult } from "@mobkit/session";
import type { PostgresStore } from "@mobkit/session-postgres";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../host-store.ts";
import { NearReads } from "./near-reads.ts";

type Store = PostgresStore<ModelMessage>;

/** A store as turns use it, with as few round trips as that takes. `nearMs`: for how long a trip answers other reads. */
export function turnStore(store: Store, nearMs?: number): HostStore {
  const near = new NearReads(store, nearMs);
  return {
    ...store,
    ...leasesOf(store, near),
    ...writesOf(store, near),
    head: (sessionId, options) => near.head(sessionId, options),
    sideState: (sessionId, kind, options) => near.sideState(sessionId, kind, options),
    members: {
      ...store.members,
      get: async (name, options) => near.memberOf(name) ?? store.members.get(name, options),
      retire: (member, options) => store.members.retire(member, options).finally(() => near.forgetNear()),
    },
    forks: {
      ...store.forks,
      seat: (request) => store.forks.seat(request).finally(() => near.forgetNear()),
      abandon: (...given) => store.forks.abandon(...given).finally(() => near.forgetNear()),
    },
    operations: {
      ...store.operations,
      ofSession: (sessionId, options) => near.operationOf(sessionId, options),
    },
    upkeep: {
      ...store.upkeep!,
      generation: (options) => near.redactions(options),
      redact: (request) => store.upkeep!.redact(request as never).finally(() => near.forgetAll()),
    },
  };
}

function leasesOf(
  store: Store,
  near: NearReads,
): Pick<HostStore, "acquireLease" | "renewLease" | "releaseLease"> {
  return {
    acquireLease: (sessionId, request) => near.takeLease(sessionId, request),
    async renewLease(lease, options) {
      const atMs = performance.now();
      const renewed = await store.renewLease(lease, options);
      near.held.renewed(renewed, atMs);
      return renewed;
    },
    releaseLease(lease, options) {
      near.held.end(lease.sessionId);
      near.forget(lease.sessionId);
      return store.releaseLease(lease, options);
    },
  };
}

function writesOf(
  store: Store,
  near: NearReads,
): Pick<HostStore, "append" | "update" | "cancel" | "adjustWork" | "setState"> {
  /** A write under the lease; what it does to the session's side state is known. */
  const fenced =
    <Change extends SessionChange<never>>(
      write: (sessionId: string, change: Change) => Promise<WriteResult>,
    ) =>
    async (sessionId: string, change: Change): Promise<WriteResult> => {
      near.forget(sessionId);
      try {
        const result = await write(sessionId, change);
        if (change.release === true) near.held.end(sessionId);
        else near.held.wrote(sessionId, change.sideState ?? [], result.len);
        return result;
      } catch (error) {
        near.held.end(sessionId);
        throw error;
      } finally {
        near.forget(sessionId);
      }
    };
  const unfenced =
    <Request, T>(write: (sessionId: string, request: Request) => Promise<T>) =>
    (sessionId: string, request: Request): Promise<T> => {
      near.forget(sessionId);
      return write(sessionId, request).finally(() => near.forget(sessionId));
    };
  return {
    append: fenced(store.append),
    update: fenced(store.update),
    cancel: fenced(store.cancel),
    adjustWork: unfenced(store.adjustWork),
    setState: unfenced(store.setState),
  };
}
