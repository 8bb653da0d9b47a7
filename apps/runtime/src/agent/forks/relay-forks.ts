import type { Forks, ForkStatus } from "@mobkit/fork";
import type { OutboxEvent } from "@mobkit/session";
import type { EventEmitter } from "../../events/event-emitter.ts";
import type { EventType } from "../../events/event-schema.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { alreadyTold, eventFork, OWN_TELLING_MS, tellCommitted, type ForkTelling } from "./tell-fork.ts";

/** What relaying needs. */
export interface ForkRelay {
  readonly store: HostStore;
  readonly events: EventEmitter;
  readonly forks: Pick<Forks<ModelMessage>, "forkStatus">;
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
}

/** The store's events about forks, and what the source's log calls them. */
const kinds: ReadonlyMap<string, EventType> = new Map([
  ["fork.committed", "fork_committed"],
  ["fork.seated", "fork_provisioned"],
  ["fork.abandoned", "fork_failed"],
]);

const PAGE = 256;

/**
 * Consumes the store's events about forks. What the source's log does not tell, because a process died before it could,
 * is told first. Answers how many were consumed.
 */
export async function relayForkEvents(relay: ForkRelay): Promise<number> {
  const { store, events, signal } = relay;
  let consumed = 0;
  let after: string | undefined;
  do {
    const page = await store.outbox.list({ limit: PAGE, after, signal });
    const told = await settle(relay, page.items);
    // What is told is in the log before its event goes: a crash in between tells nothing twice.
    if (!(await events.flush())) return consumed;
    const results = await Promise.all(told.map((id) => store.outbox.consume(id, { signal })));
    consumed += results.filter(Boolean).length;
    after = page.next ?? undefined;
  } while (after !== undefined);
  return consumed;
}

/** A store's event about a fork. */
interface HeardEvent extends ForkTelling {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: number;
  readonly fork: ForkStatus;
}

/** Makes sure that the sources' logs tell these events; answers the ids of those that they tell now. */
async function settle(relay: ForkRelay, page: readonly OutboxEvent[]): Promise<readonly string[]> {
  const bySource = new Map<string, HeardEvent[]>();
  for (const event of page) {
    const heard = await hear(relay, event);
    if (heard === undefined) continue;
    const source = heard.fork.lineage.sessionId;
    const others = bySource.get(source);
    if (others) others.push(heard);
    else bySource.set(source, [heard]);
  }
  const settled: string[] = [];
  for (const [source, heard] of bySource) settled.push(...(await settleSource(relay, source, heard)));
  return settled;
}

async function settleSource(
  relay: ForkRelay,
  source: string,
  heard: readonly HeardEvent[],
): Promise<readonly string[]> {
  // A deleted source's log is deleted too.
  const isGone = (await relay.store.head(source, { signal: relay.signal })).state === "tombstone";
  const told = isGone ? new Set(heard) : await alreadyTold(relay.events, source, heard);
  const untold = heard.filter((event) => !told.has(event) && relay.now - event.createdAt >= OWN_TELLING_MS);
  for (const event of untold) tell(relay, event);
  return [...told, ...untold].map(({ id }) => id);
}

async function hear(
  { forks }: ForkRelay,
  { id, kind, payload, createdAt }: OutboxEvent,
): Promise<HeardEvent | undefined> {
  const type = kinds.get(kind);
  if (type === undefined) return undefined;
  const { operationId } = payload as { readonly operationId: string };
  return { id, kind, type, operationId, createdAt, fork: await forks.forkStatus({ operationId }) };
}

function tell({ events }: ForkRelay, { kind, fork }: HeardEvent): void {
  const session = fork.lineage.sessionId;
  if (kind === "fork.committed") tellCommitted(events, fork);
  else if (kind === "fork.seated") events.emit({ session }, "fork_provisioned", eventFork(fork));
  else {
    const facts = { kind: "abandoned", message: "the fork was given up", committed: false };
    events.emit({ session }, "fork_failed", { ...eventFork(fork), ...facts });
  }
}
