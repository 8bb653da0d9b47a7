import type { ArchivedSession, SessionRecord, StoreArchive } from "@mobkit/session";
import type { ModelMessage } from "../../providers/model.ts";
import { everySession } from "../every-session.ts";
import type { HostStore } from "../host-store.ts";

/** Every session in any state, each behind those that it was forked from. */
export async function sessionsByAge(
  store: HostStore,
  signal: AbortSignal,
): Promise<readonly SessionRecord[]> {
  const all: SessionRecord[] = [];
  for await (const session of everySession(store, { signal })) all.push(session);
  for await (const session of everySession(store, { state: "tombstone", signal })) all.push(session);
  return all.toSorted((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
}

/** The archive of a store that has one: files and databases. */
export function archiveOf(store: HostStore): StoreArchive<ModelMessage> {
  if (store.archive === undefined) throw new Error("a state in memory is not moved");
  return store.archive;
}

/** All of a session but its rows. */
export async function archivedSession(
  store: HostStore,
  session: SessionRecord,
  signal: AbortSignal,
): Promise<ArchivedSession<ModelMessage>> {
  const { id, binding } = session;
  return {
    session,
    ...(await archiveOf(store).read(id, { signal })),
    member: binding === null ? null : ((await store.members.get(binding.member, { signal })) ?? null),
    operation: (await store.operations.ofSession(id, { signal })) ?? null,
    waiting: await waitingEvents(store, id, signal),
  };
}

async function waitingEvents(
  store: HostStore,
  sessionId: string,
  signal: AbortSignal,
): Promise<ArchivedSession<ModelMessage>["waiting"]> {
  const found: ArchivedSession<ModelMessage>["waiting"][number][] = [];
  let after: string | undefined;
  do {
    const page = await store.outbox.list({ sessionId, after, signal });
    found.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return found;
}
