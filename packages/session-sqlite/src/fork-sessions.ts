import type {
  ForkCommit,
  ForkCommitRequest,
  ForkOperation,
  ForkSeat,
  ForkSeatRequest,
  SessionForks,
} from "@mobkit/session";
import {
  checkCommitRequest,
  checkSameRequest,
  maxSpans,
  planAbandon,
  planFork,
  planSeat,
  runRebase,
} from "@mobkit/session/rules";
import { addForkEvent } from "./fork-events.ts";
import { groundOf } from "./fork-ground.ts";
import { sourceOf } from "./fork-source.ts";
import { findMember, freeName, reserveName, seatReservation } from "./members.ts";
import {
  findOperation,
  insertOperation,
  requireOperation,
  writeAbandonedOperation,
  writeSeatedOperation,
} from "./operation-rows.ts";
import { addEvents } from "./outbox.ts";
import { rebaseSteps } from "./rebase.ts";
import {
  insertForkedSession,
  requireSession,
  updateSession,
  writeSeat,
  type StoredSession,
} from "./session-rows.ts";
import { inheritSideStates, resetKinds, sideStatesOf } from "./side-states.ts";
import { inheritSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The fork transitions of a store. The source is only read; a child costs its own rows, however long the prefix. */
export function sqliteForks<M>(context: StoreContext<M>): SessionForks<M> {
  const { connection, commits } = context;
  return {
    source: ({ member, kind, signal }) => connection.look(() => sourceOf(connection, member, kind), signal),
    inspect: (request) => connection.read(() => groundOf(connection, request).prefix, request.signal),
    commit: async (request) => {
      checkCommitRequest(request);
      let spans = 0;
      const note = (count: number): void => void (spans = count);
      const committed = await commits.submit(() => commitOnce(context, request, note), request.signal);
      // In the background: whatever fails is tried again with the next rebase.
      if (spans > maxSpans) {
        void runRebase(rebaseSteps(context), { sessionId: committed.session.id }).catch(() => undefined);
      }
      return committed;
    },
    seat: (request) => commits.submit(() => seatOnce(context, request), request.signal),
    abandon: (request) => commits.submit(() => abandonOnce(context, request), request.signal),
  };
}

/** `note` is told how many spans the child has. */
function commitOnce<M>(
  context: StoreContext<M>,
  request: ForkCommitRequest<M>,
  note: (spans: number) => void,
): ForkCommit<M> {
  const { connection, shape, clock } = context;
  const replayed = replayedCommit<M>(connection, request);
  if (replayed !== undefined) return replayed;
  const { source, prefix, hasSideState } = groundOf(connection, request);
  const now = clock.now();
  const sideStates = hasSideState ? sideStatesOf(connection, source.key) : [];
  const sideStateReset = resetKinds(sideStates, prefix.length);
  const plan = planFork(request, { source: source.record, prefix, shape, now, sideStateReset });
  const { operation, session, claim } = plan;
  const key = insertForkedSession(connection, source, session);
  note(inheritSpans(connection, source.key, { key, len: session.len }));
  inheritSideStates(connection, sideStates, { key, len: session.len });
  reserveName(connection, operation.child.member, key);
  addForkEvent(connection, plan.event.kind, { key, operationId: operation.id, now });
  insertOperation(connection, { child: key, source: source.key }, operation);
  return Object.freeze({ operation, session, claim, replayed: false });
}

function replayedCommit<M>(
  connection: StoreConnection,
  request: ForkCommitRequest<M>,
): ForkCommit<M> | undefined {
  if (request.idempotencyKey === undefined) return undefined;
  const operation = findOperation<M>(connection, "idempotency_key", request.idempotencyKey);
  if (operation === undefined) return undefined;
  checkSameRequest(operation, request);
  const session = requireSession(connection, operation.child.sessionId).record;
  return Object.freeze({ operation, session, claim: null, replayed: true });
}

interface Found<M> {
  readonly operation: ForkOperation<M>;
  readonly child: StoredSession;
}

function findFork<M>(connection: StoreConnection, operationId: string): Found<M> {
  const operation = requireOperation<M>(connection, operationId);
  return { operation, child: requireSession(connection, operation.child.sessionId) };
}

function seatOnce<M>({ connection, clock }: StoreContext<M>, request: ForkSeatRequest): ForkSeat<M> {
  const { operation, child } = findFork<M>(connection, request.claim.operationId);
  const now = clock.now();
  const plan = planSeat({ operation, session: child.record }, request, now);
  if (plan === undefined) {
    const member = findMember(connection, operation.child.member)!;
    return Object.freeze({ operation, session: child.record, member, replayed: true });
  }
  const { member, session, events } = plan;
  const [seated, ...inputs] = events;
  addForkEvent(connection, seated!.kind, { key: child.key, operationId: operation.id, now });
  writeSeatedOperation(connection, child.key, plan.operation);
  addEvents(connection, inputs, { key: child.key, now });
  writeSeat(connection, child.key, session);
  seatReservation(connection, member);
  return Object.freeze({ operation: plan.operation, session, member, replayed: false });
}

function abandonOnce<M>(
  { connection, clock }: StoreContext<M>,
  request: Parameters<SessionForks<M>["abandon"]>[0],
): ForkOperation<M> {
  const { operation, child } = findFork<M>(connection, request.operationId);
  const now = clock.now();
  const plan = planAbandon({ operation, session: child.record }, request.claim, now);
  if (plan === undefined) return operation;
  addForkEvent(connection, plan.event.kind, { key: child.key, operationId: operation.id, now });
  writeAbandonedOperation(connection, child.key, plan.operation);
  updateSession(connection, child.key, plan.session);
  freeName(connection, operation.child.member);
  return plan.operation;
}
