import type { Forks, ForkStatus } from "@mobkit/fork";
import type { OutboxEvent } from "@mobkit/session";
import type { EventEmitter } from "../events/event-emitter.ts";
import type { EventType } from "../events/event-schema.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";
import { eventFork, isTold, tellCommitted } from "./tell-fork.ts";

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

/** Until then, the process that forked may still be about to tell it itself. */
const OWN_TELLING_MS = 60_000;

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
    const told: OutboxEvent[] = [];
    for (const event of page.items) if (await isSettled(relay, event)) told.push(event);
    // What is told is in the log before its event goes: a crash in between tells nothing twice.
    if (!events.flush()) return consumed;
    const results = await Promise.all(told.map(({ id }) => store.outbox.consume(id, { signal })));
    consumed += results.filter(Boolean).length;
    after = page.next ?? undefined;
  } while (after !== undefined);
  return consumed;
}

/** Whether the log tells it, after this. */
async function isSettled(relay: ForkRelay, { kind, payload, createdAt }: OutboxEvent): Promise<boolean> {
  const type = kinds.get(kind);
  if (type === undefined) return false;
  const { operationId } = payload as { readonly operationId: string };
  const fork = await relay.forks.forkStatus({ operationId });
  if (!(await hasLog(relay, fork)) || isTold(relay.events, fork, type)) return true;
  if (relay.now - createdAt < OWN_TELLING_MS) return false;
  tell(relay, fork, kind);
  return true;
}

/** A deleted source's log is deleted too. */
async function hasLog({ store, signal }: ForkRelay, { lineage }: ForkStatus): Promise<boolean> {
  return (await store.head(lineage.sessionId, { signal })).state !== "tombstone";
}

function tell({ events }: ForkRelay, fork: ForkStatus, kind: string): void {
  const session = fork.lineage.sessionId;
  if (kind === "fork.committed") tellCommitted(events, fork);
  else if (kind === "fork.seated") events.emit({ session }, "fork_provisioned", eventFork(fork));
  else {
    const facts = { kind: "abandoned", message: "the fork was given up", committed: false };
    events.emit({ session }, "fork_failed", { ...eventFork(fork), ...facts });
  }
}
