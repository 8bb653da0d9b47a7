import type { SessionRecord } from "@mobkit/session";
import { everySession } from "./every-session.ts";
import type { HostStore } from "./host-store.ts";

/** A session as the command line and the server tell of it. */
export interface SessionView {
  readonly session: string;
  readonly member: string | null;
  readonly role: string | null;
  /** The stored state; of a ready session that is busy: `parked`, `running` or `interrupted`. */
  readonly state: string;
  readonly messages: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The session it was forked from, and at how many messages. */
  readonly forked_from?: { readonly session: string; readonly at: number };
  /** The session whose call started it. */
  readonly spawned_by?: { readonly session: string; readonly call_id: string };
}

/** Every session, oldest first. */
export async function listSessions(store: HostStore): Promise<readonly SessionView[]> {
  const sessions: SessionView[] = [];
  for await (const record of everySession(store)) sessions.push(await viewSession(store, record));
  return sessions;
}

/** One session with its member. */
export async function viewSession(store: HostStore, record: SessionRecord): Promise<SessionView> {
  const { id, binding, parent, spawnedBy, len, createdAt, updatedAt } = record;
  const member = binding ? await store.members.get(binding.member) : undefined;
  return {
    session: id,
    member: member?.member ?? null,
    role: member?.role ?? null,
    state: stateOf(record, Date.now()),
    messages: len,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...(parent && { forked_from: { session: parent.sessionId, at: parent.len } }),
    ...(spawnedBy && { spawned_by: { session: spawnedBy.sessionId, call_id: spawnedBy.callId } }),
  };
}

/** A turn whose owner lost its lease was interrupted; the next run heals it. */
function stateOf({ state, pendingApprovals, runTurn, lease }: SessionRecord, now: number): string {
  if (state !== "ready") return state;
  if (pendingApprovals > 0) return "parked";
  if (runTurn === null) return "ready";
  return lease.owner !== null && (lease.expiresAt ?? 0) > now ? "running" : "interrupted";
}
