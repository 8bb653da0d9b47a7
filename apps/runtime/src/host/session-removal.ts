import type { Clock } from "@basis/core";
import { isSessionError, SessionError, type Lease, type SessionRecord } from "@mobkit/session";
import type { Forks } from "@mobkit/fork";
import { acquireLease, type LeaseWait } from "../agent/transcript/acquire-lease.ts";
import { Cue } from "../agent/run/cue.ts";
import { follow } from "../agent/turn/run-ending.ts";
import type { ModelMessage } from "../providers/model.ts";
import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";

/** What deleting a session comes to. */
export interface RemovalPlan {
  /** What goes; what was delegated stands before what delegated it. */
  readonly sessions: readonly SessionRecord[];
  /** Forks of what goes. They stay as they are, with all that they inherited. */
  readonly branches: readonly SessionRecord[];
  /** Sessions that its calls delegated to and that stay. */
  readonly delegated: readonly SessionRecord[];
}

/** What would go with a session, and what is related to it and stays. */
export async function planRemoval(
  store: HostStore,
  session: SessionRecord,
  { withChildren, signal }: { readonly withChildren: boolean; readonly signal: AbortSignal },
): Promise<RemovalPlan> {
  const all: SessionRecord[] = [];
  for await (const record of everySession(store, { signal })) all.push(record);
  const below = delegatedBelow(all, session.id);
  const sessions = withChildren ? [...below.toReversed(), session] : [session];
  const gone = new Set(sessions.map(({ id }) => id));
  const branches = all.filter(
    ({ id, parent }) => parent !== null && gone.has(parent.sessionId) && !gone.has(id),
  );
  return { sessions, branches, delegated: withChildren ? [] : below };
}

/** Sessions that were delegated from one, and theirs: each behind the one it came from. Ids grow, so one walk finds them all. */
function delegatedBelow(all: readonly SessionRecord[], root: string): readonly SessionRecord[] {
  const known = new Set([root]);
  return all.filter(({ id, spawnedBy }) => {
    if (spawnedBy === null || !known.has(spawnedBy.sessionId)) return false;
    known.add(id);
    return true;
  });
}

/** What a removal works with. */
export interface RemovalPorts extends Pick<HostState, "store" | "ledger" | "events"> {
  readonly forks: Pick<Forks<ModelMessage>, "abandonFork">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly waiting?: LeaseWait["waiting"];
  /** Leaves a session alone that was written to since it was looked at. Default false. */
  readonly onlyUnchanged?: boolean;
}

/**
 * Deletes a session for ever: its name is free, nobody can read it, and its events, approvals and rules are gone. Rows
 * that no fork reaches are collected later. A turn that another process runs in it refuses; a fork that was not seated is given up.
 * Answers false when it was to be left alone.
 *
 * @throws SessionError `lease_held`, `session_unavailable`. @throws ForkError for a fork that somebody is seating.
 */
export async function removeSession(ports: RemovalPorts, session: SessionRecord): Promise<boolean> {
  if (session.state === "pending") await giveUp(ports, session);
  else if (!(await bury(ports, session))) return false;
  await forgetSessions(ports, [session.id]);
  return true;
}

/** A session that is not ready yet: the child of a fork that was never seated, or an import that did not come to its end. */
async function giveUp({ store, forks, clock, signal }: RemovalPorts, { id }: SessionRecord): Promise<void> {
  if ((await store.operations.ofSession(id, { signal })) !== undefined) {
    await forks.abandonFork({ sessionId: id }, { signal });
    return;
  }
  const { epoch, owner, expiresAt } = (await store.head(id, { signal })).lease;
  if (owner === null || expiresAt === null) return;
  if (expiresAt > clock.now()) {
    const until = new Date(expiresAt).toISOString();
    throw new SessionError(
      "lease_held",
      `session ${id} is being imported; one that was killed can be deleted from ${until} on`,
      {
        details: { sessionId: id, owner, expiresAt },
      },
    );
  }
  await store.transfer?.drop({ sessionId: id, owner, epoch, expiresAt, ttlMs: 1 }, { signal });
}

/** Under the lease, so that no turn begins in what is deleted. */
async function bury(ports: RemovalPorts, { id, state, rev }: SessionRecord): Promise<boolean> {
  const { store, signal, onlyUnchanged = false } = ports;
  const lease = state === "ready" ? await takeLease(ports, id) : undefined;
  try {
    const isChanged = onlyUnchanged && (await store.head(id, { signal })).rev !== rev;
    if (!isChanged) {
      await store.setState(id, { state: "tombstone", signal });
      return true;
    }
  } catch (error) {
    if (lease !== undefined) await store.releaseLease(lease).catch(() => false);
    throw error;
  }
  if (lease !== undefined) await store.releaseLease(lease);
  return false;
}

async function takeLease({ store, clock, signal, waiting }: RemovalPorts, id: string): Promise<Lease> {
  const ending = new Cue();
  const unfollow = follow([signal], ending);
  try {
    return (await acquireLease(store, id, { clock, ending, waiting })).lease;
  } finally {
    unfollow();
  }
}

/** Deletes what the host keeps beside transcripts that are gone. Repeating it is harmless. */
export async function forgetSessions(
  { ledger, events }: Pick<HostState, "ledger" | "events">,
  sessionIds: readonly string[],
): Promise<void> {
  if (sessionIds.length === 0) return;
  await ledger.forget(sessionIds);
  await events.forget(sessionIds);
}

/** Why a session cannot go now, for whoever deletes many; undefined for what is no such reason. */
export function whyKept(error: unknown): string | undefined {
  if (isSessionError(error, "lease_held")) return "a turn runs in it";
  if (isSessionError(error, "session_unavailable")) return "it is gone or not ready";
  return undefined;
}
