import type { ForkResult } from "@mobkit/fork";
import type { EventEmitter } from "../../events/event-emitter.ts";
import type { EventType } from "../../events/event-schema.ts";

/** What is told of a fork. */
export type ToldFork = Pick<
  ForkResult,
  "operationId" | "lineage" | "sessionId" | "memberAlias" | "messageCount" | "prefixDigest"
>;

/** For so long, the process that forked may still be about to tell of it; afterwards others do. */
export const OWN_TELLING_MS = 60_000;

/** An event about a fork, as its source's log has it. */
export interface ForkTelling {
  readonly type: EventType;
  readonly operationId: string;
}

/** Which of some events about forks a source's log tells already. Reads from the end, only as far as it has to. */
export async function alreadyTold<T extends ForkTelling>(
  events: EventEmitter,
  source: string,
  asked: readonly T[],
): Promise<ReadonlySet<T>> {
  const open = new Map(asked.map((telling) => [`${telling.type} ${telling.operationId}`, telling]));
  const told = new Set<T>();
  if (open.size === 0) return told;
  for await (const { type, data } of events.readBack(source)) {
    if (!("operation_id" in data)) continue;
    const key = `${type} ${String(data.operation_id)}`;
    const found = open.get(key);
    if (found === undefined) continue;
    told.add(found);
    open.delete(key);
    if (open.size === 0) break;
  }
  return told;
}

/** Tells of a commit, once: a process that died right after it had no time to. */
export async function tellCommittedOnce(events: EventEmitter, fork: ToldFork): Promise<void> {
  const telling = { type: "fork_committed", operationId: fork.operationId } as const;
  const told = await alreadyTold(events, fork.lineage.sessionId, [telling]);
  if (told.size === 0) tellCommitted(events, fork);
}

/** Tells of a commit. */
export function tellCommitted(events: EventEmitter, fork: ToldFork): void {
  const { messageCount: message_count, prefixDigest: prefix_digest } = fork;
  const session = fork.lineage.sessionId;
  events.emit({ session }, "fork_committed", { ...eventFork(fork), message_count, prefix_digest });
}

/** A fork as events name it. */
export function eventFork({ operationId, lineage, sessionId, memberAlias }: ToldFork): {
  operation_id: string;
  source_session: string;
  fork_session: string;
  member: string;
} {
  return {
    operation_id: operationId,
    source_session: lineage.sessionId,
    fork_session: sessionId,
    member: memberAlias,
  };
}
