import type { ForkResult } from "@mobkit/fork";
import type { EventEmitter } from "../events/event-emitter.ts";
import type { EventType } from "../events/event-schema.ts";

/** What is told of a fork. */
export type ToldFork = Pick<
  ForkResult,
  "operationId" | "lineage" | "sessionId" | "memberAlias" | "messageCount" | "prefixDigest"
>;

/** Whether the source's log tells that of the operation. */
export function isTold(events: EventEmitter, { lineage, operationId }: ToldFork, told: EventType): boolean {
  for (const { type, data } of events.readBack(lineage.sessionId)) {
    if (type === told && "operation_id" in data && data.operation_id === operationId) return true;
  }
  return false;
}

/** Tells of a commit, once: a process that died right after it had no time to. */
export function tellCommitted(events: EventEmitter, fork: ToldFork): void {
  if (isTold(events, fork, "fork_committed")) return;
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
