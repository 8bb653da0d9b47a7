import {
  decodeAlias,
  isForkError,
  type ForkMemberOptions,
  type ForkMemberSpec,
  type ForkResult,
  type Forks,
  type ForkStatus,
  type ResumeForkOptions,
} from "@mobkit/fork";
import type { EventEmitter } from "../../events/event-emitter.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { eventFork, OWN_TELLING_MS, tellCommitted, tellCommittedOnce, type ToldFork } from "./tell-fork.ts";

/** What reporting forks needs. */
export interface ForkReporting {
  readonly forks: Forks<ModelMessage>;
  readonly events: EventEmitter;
  readonly store: HostStore;
}

/** Forks a member and tells in the source's log what happened, also when it failed. A replay happened before. */
export async function forkSession(
  reporting: ForkReporting,
  source: string,
  request: { readonly spec: ForkMemberSpec<ModelMessage>; readonly options?: ForkMemberOptions },
): Promise<ForkResult> {
  const { forks, events, store } = reporting;
  const { spec, options } = request;
  const session = (await store.members.get(decodeAlias(source)))?.sessionId;
  const began = performance.now();
  try {
    const result = await forks.forkMember(source, spec, options);
    if (!result.replayed) {
      await tellOwnCommit(events, result, began);
      events.emit({ session: result.lineage.sessionId }, "fork_provisioned", eventFork(result));
    }
    return result;
  } catch (error) {
    if (session !== undefined) await tellFailure(reporting, { session, member: spec.identity, error });
    throw error;
  } finally {
    await events.flush();
  }
}

/** Recovers a committed fork by its id and tells so in the source's log, also when it failed again. */
export async function recoverFork(
  reporting: ForkReporting,
  operationId: string,
  options: ResumeForkOptions = {},
): Promise<ForkResult> {
  const { forks, events } = reporting;
  try {
    const result = await forks.resumeFork({ operationId }, options);
    const { sessionId: session } = result.lineage;
    await tellCommittedOnce(events, result);
    if (!result.replayed) events.emit({ session }, "fork_provisioned", eventFork(result));
    events.emit({ session }, "fork_recovered", eventFork(result));
    return result;
  } catch (error) {
    const known = await statusOf(forks, operationId);
    if (known !== undefined && isForkError(error)) {
      const { kind, message, committed } = error;
      const { sessionId: session } = known.lineage;
      events.emit({ session }, "fork_failed", { ...eventFork(known), kind, message, committed });
    }
    throw error;
  } finally {
    await events.flush();
  }
}

/** Nobody else has told of a commit that this process made just now; of one that took long, another may have. */
async function tellOwnCommit(events: EventEmitter, fork: ToldFork, began: number): Promise<void> {
  if (performance.now() - began < OWN_TELLING_MS / 2) tellCommitted(events, fork);
  else await tellCommittedOnce(events, fork);
}

/** What is told must not stand in the way of the error that carries the operation's id. */
async function tellFailure(
  reporting: ForkReporting,
  failed: { readonly session: string; readonly member: string; readonly error: unknown },
): Promise<void> {
  const { session, member, error } = failed;
  if (!isForkError(error)) return;
  const { kind, message, committed } = error;
  let ids: Partial<ReturnType<typeof eventFork>> = {};
  if (error.kind === "fork_member_provision_failed") {
    const { operationId, forkSessionId } = error.details;
    ids = { operation_id: operationId, fork_session: forkSessionId };
    const known = await statusOf(reporting.forks, operationId);
    if (known !== undefined) await tellCommittedOnce(reporting.events, known);
  }
  const facts = { source_session: session, member, kind, message, committed };
  reporting.events.emit({ session }, "fork_failed", { ...ids, ...facts });
}

function statusOf(forks: Forks<ModelMessage>, operationId: string): Promise<ForkStatus | undefined> {
  return forks.forkStatus({ operationId }).catch(() => undefined);
}
