import { newId } from "@basis/core";
import type {
  CallOptions,
  ForkOperation,
  Lease,
  LeaseRequest,
  MemberRecord,
  SessionRecord,
  SideState,
} from "@mobkit/session";
import { checkName } from "@mobkit/session/rules";
import { readGeneration } from "./generation.ts";
import { findMemberOf } from "./members.ts";
import { findOperation } from "./operation-rows.ts";
import { requireSession, type StoredSession } from "./session-rows.ts";
import { readSideStates } from "./side-states.ts";
import { nowColumn, statement, type Sql, type SqlStatement } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";

/** All that is known of a session beside its rows, read in one round trip. */
export interface SessionLook<M = unknown> {
  readonly session: SessionRecord;
  /** Its member; undefined for one without. */
  readonly member: MemberRecord | undefined;
  readonly sideStates: readonly SideState[];
  /** The fork that made it; undefined where none did. */
  readonly operation: ForkOperation<M> | undefined;
  /** How many redactions the store has seen. */
  readonly redactions: number;
}

/** A lease, and the session as it was when it was granted. */
export interface TakenLease<M = unknown> {
  readonly lease: Lease;
  readonly look: SessionLook<M>;
}

/** The looks of a store. */
export interface SessionLooks<M> {
  /** @throws SessionError `unknown_session`. */
  look(sessionId: string, options?: CallOptions): Promise<SessionLook<M>>;
  /** `acquireLease` and a look in one round trip where the lease is free, in three where it has to be judged. @throws as both. */
  takeLease(sessionId: string, request: LeaseRequest): Promise<TakenLease<M>>;
}

/** How a lease is acquired that is not known to be free. */
type Acquire = (sessionId: string, request: LeaseRequest) => Promise<Lease>;

export function postgresLooks<M>(context: StoreContext<M>, acquire: Acquire): SessionLooks<M> {
  const { transactions, cache, time } = context;
  const look = async (sessionId: string, { signal }: CallOptions = {}): Promise<SessionLook<M>> =>
    (await transactions.read((sql) => readLook<M>(sql, sessionId), signal)).look;
  return {
    look,
    async takeLease(sessionId, request) {
      checkName("owner", request.owner);
      if (time.isDatabases && isPlain(request)) {
        const seen = await takeFree<M>(context, sessionId, request);
        if (seen !== undefined) {
          const { session } = seen.look;
          const { owner, epoch, expiresAt } = session.lease;
          if (owner === request.owner && expiresAt !== null) {
            const { key, version, record } = seen.stored;
            cache.keep({ key, version, record });
            const lease = Object.freeze({ sessionId, owner, epoch, expiresAt, ttlMs: request.ttlMs });
            return { lease, look: seen.look };
          }
        }
      }
      const lease = await acquire(sessionId, request);
      return { lease, look: await look(sessionId, { signal: request.signal }) };
    },
  };
}

interface Seen<M> {
  readonly stored: StoredSession;
  readonly look: SessionLook<M>;
}

/** Sent without waiting, so that all of it is one round trip. */
async function readLook<M>(sql: Sql, sessionId: string): Promise<Seen<M>> {
  const [stored, member, sideStates, operation, redactions] = await Promise.all([
    requireSession(sql, sessionId),
    findMemberOf(sql, sessionId),
    readSideStates(sql, sessionId),
    findOperation<M>(sql, "child.id", sessionId),
    readGeneration(sql),
  ]);
  const states = sideStates.map(({ state }) => state);
  const look = { session: stored.record, member, sideStates: states, operation, redactions };
  return { stored, look: Object.freeze(look) };
}

/** Undefined when the lease was not taken: it is held, or the session is not ready, or is not there. */
async function takeFree<M>(
  { transactions, cache }: StoreContext<M>,
  sessionId: string,
  request: LeaseRequest,
): Promise<Seen<M> | undefined> {
  cache.forget(sessionId);
  const commitId = newId();
  let seen: Promise<Seen<M>> | undefined;
  const besides = (sql: Sql): Promise<unknown> => {
    seen = readLook<M>(sql, sessionId);
    return seen.catch(() => undefined);
  };
  const taken = await transactions.single(commitId, takeStatement(commitId, sessionId, request), {
    signal: request.signal,
    besides,
  });
  return taken
    ? seen?.catch(() => transactions.read((sql) => readLook<M>(sql, sessionId), request.signal))
    : undefined;
}

const take = `WITH taken AS (
    UPDATE session SET version = version + 1, lease_epoch = lease_epoch + 1, lease_owner = $2,
      lease_expires_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3
    WHERE id = $1 AND state = 'ready' AND lease_owner IS NULL RETURNING key
  ), marked AS (
    INSERT INTO commit_mark (id, made_at) SELECT $4, now_ms FROM taken, (SELECT ${nowColumn}) AS clock
  ) SELECT key FROM taken`;

function takeStatement(commitId: string, sessionId: string, { owner, ttlMs }: LeaseRequest): SqlStatement {
  return statement(take, sessionId, owner, ttlMs, commitId);
}

/** What the rules of leases have nothing against; anything else is theirs to refuse. */
function isPlain({ ttlMs }: LeaseRequest): boolean {
  return Number.isSafeInteger(ttlMs) && ttlMs > 0 && ttlMs <= 86_400_000;
}
