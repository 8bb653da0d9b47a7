import type { ForkMemberOptions, ForkMemberSpec, ForkResult, Forks } from "@mobkit/fork";
import { isForkError } from "@mobkit/fork";
import type { EventEmitter } from "../events/event-emitter.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";

/** What reporting forks needs. */
export interface ForkReporting {
  readonly forks: Forks<ModelMessage>;
  readonly events: EventEmitter;
  readonly store: HostStore;
}

/** Forks a member and tells in the source's log what happened, also when it failed. */
export async function forkSession(
  { forks, events, store }: ForkReporting,
  source: string,
  request: { readonly spec: ForkMemberSpec<ModelMessage>; readonly options?: ForkMemberOptions },
): Promise<ForkResult> {
  const { spec, options } = request;
  const session = (await store.members.get(source))?.sessionId;
  try {
    const result = await forks.forkMember(source, spec, options);
    const { messageCount: message_count, prefixDigest: prefix_digest } = result;
    const scope = { session: result.lineage.sessionId };
    events.emit(scope, "fork_committed", { ...eventFork(result), message_count, prefix_digest });
    events.emit(scope, "fork_provisioned", eventFork(result));
    return result;
  } catch (error) {
    if (session !== undefined)
      await reportFailure({ forks, events }, { session, member: spec.identity, error });
    throw error;
  } finally {
    events.flush();
  }
}

/** Recovers a committed fork by its id and tells so in the source's log, also when it failed again. */
export async function recoverFork(
  { forks, events }: ForkReporting,
  operationId: string,
): Promise<ForkResult> {
  try {
    const result = await forks.resumeFork({ operationId });
    const { sessionId: session } = result.lineage;
    if (!result.replayed) events.emit({ session }, "fork_provisioned", eventFork(result));
    events.emit({ session }, "fork_recovered", eventFork(result));
    return result;
  } catch (error) {
    const known = await forks.forkStatus({ operationId }).catch(() => undefined);
    if (known !== undefined && isForkError(error)) {
      const { lineage, sessionId: fork_session, memberAlias: member } = known;
      const { kind, message, committed } = error;
      const ids = { operation_id: operationId, source_session: lineage.sessionId, fork_session, member };
      events.emit({ session: lineage.sessionId }, "fork_failed", { ...ids, kind, message, committed });
    }
    throw error;
  } finally {
    events.flush();
  }
}

async function reportFailure(
  { forks, events }: Pick<ForkReporting, "forks" | "events">,
  failed: { readonly session: string; readonly member: string; readonly error: unknown },
): Promise<void> {
  const { session, member, error } = failed;
  if (!isForkError(error)) return;
  const facts = {
    source_session: session,
    member,
    kind: error.kind,
    message: error.message,
    committed: error.committed,
  };
  if (error.kind !== "fork_member_provision_failed") {
    events.emit({ session }, "fork_failed", facts);
    return;
  }
  const { operationId, forkSessionId } = error.details;
  const ids = { operation_id: operationId, fork_session: forkSessionId };
  const { messageCount: message_count, prefixDigest: prefix_digest } = await forks.forkStatus({
    operationId,
  });
  events.emit({ session }, "fork_committed", {
    ...ids,
    source_session: session,
    member,
    message_count,
    prefix_digest,
  });
  events.emit({ session }, "fork_failed", { ...ids, ...facts });
}

function eventFork({ operationId, lineage, sessionId, memberAlias }: ForkResult): {
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
