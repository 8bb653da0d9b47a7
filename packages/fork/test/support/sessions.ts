import type { AppendRequest, ModelMessage, SessionRecord, WriteResult } from "@mobkit/session";
import type { Store } from "./stores.ts";

type Extra = Partial<Omit<AppendRequest<ModelMessage>, "lease" | "expectedRev" | "messages">>;

/** Creates a member with messages, and lets go of the lease. */
export async function seed(
  store: Store,
  member: string,
  messages: readonly ModelMessage[] = [],
): Promise<SessionRecord> {
  const session = await store.createSession({ member, role: "general" });
  if (messages.length > 0) await write(store, session.id, messages);
  return store.head(session.id);
}

/** Appends under a lease of its own. */
export async function write(
  store: Store,
  sessionId: string,
  messages: readonly ModelMessage[],
  extra: Extra = {},
): Promise<WriteResult> {
  const lease = await store.acquireLease(sessionId, { owner: "test", ttlMs: 60_000 });
  const { rev } = await store.head(sessionId);
  const written = await store.append(sessionId, { lease, expectedRev: rev, messages, ...(extra as object) });
  await store.releaseLease(lease);
  return written;
}

/** A fenced write without messages. */
export async function update(store: Store, sessionId: string, change: Extra): Promise<WriteResult> {
  const lease = await store.acquireLease(sessionId, { owner: "test", ttlMs: 60_000 });
  const { rev } = await store.head(sessionId);
  const written = await store.update(sessionId, { lease, expectedRev: rev, ...(change as object) });
  await store.releaseLease(lease);
  return written;
}

/** The rows that forks share, without their bodies' order of keys. */
export async function rows(store: Store, sessionId: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const row of store.read(sessionId)) found.push(row);
  return found;
}

/** The messages alone. */
export async function messages(store: Store, sessionId: string): Promise<readonly ModelMessage[]> {
  const found: ModelMessage[] = [];
  for await (const row of store.read(sessionId)) found.push(row.body);
  return found;
}

/** Everything that the port shows of a store, as one text to compare. */
export async function snapshot(store: Store): Promise<string> {
  const states = ["pending", "ready", "archived", "quarantined", "tombstone"] as const;
  const lists = await Promise.all(states.map((state) => store.listSessions({ state, limit: 1000 })));
  const sessions = lists.flatMap((page) => page.items);
  const readable = sessions.filter(({ state }) => state !== "tombstone");
  return JSON.stringify({
    sessions,
    rows: await Promise.all(readable.map(({ id }) => rows(store, id))),
    members: (await store.members.list({ limit: 1000 })).items,
    operations: (await store.operations.list({ limit: 1000 })).items,
    outbox: (await store.outbox.list({ limit: 1000 })).items,
  });
}
