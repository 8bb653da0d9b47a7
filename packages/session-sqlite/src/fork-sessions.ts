import type {
  ForkCommit,
  ForkCommitRequest,
  ForkOperation,
  ForkPointRequest,
  ForkSeat,
  ForkSeatRequest,
  PrefixRecord,
  SessionForks,
} from "@mobkit/session";
import {
  askedBoundary,
  checkCommitRequest,
  checkForkBoundary,
  checkForkSource,
  checkSameRequest,
  forkBoundary,
  maxSpans,
  planAbandon,
  planFork,
  planSeat,
  runRebase,
} from "@mobkit/session/rules";
import { requirePrefixBlobs } from "./blobs.ts";
import { findMember, freeName, requireFreeName, reserveName, seatMember } from "./members.ts";
import { positionOfMessage, prefixRecord } from "./messages.ts";
import {
  findOperation,
  insertOperation,
  requireOperation,
  updateOperation,
  writeSeatedOperation,
} from "./operation-rows.ts";
import { addEvents } from "./outbox.ts";
import { rebaseSteps } from "./rebase.ts";
import {
  insertSession,
  requireSession,
  updateSession,
  writeSeat,
  type StoredSession,
} from "./session-rows.ts";
import { inheritSideStates, resetKinds, sideStatesOf } from "./side-states.ts";
import { inheritSpans, readSpans } from "./spans.ts";
import { positionOfTurn } from "./turns.ts";
import type { StoreConnection } from "./store-connection.ts";
import type { StoreContext } from "./store-context.ts";

/** The fork transitions of a store. The source is only read; a child costs its own rows, however long the prefix. */
export function sqliteForks<M>(context: StoreContext<M>): SessionForks<M> {
  const { connection, commits } = context;
  return {
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

interface Ground {
  readonly source: StoredSession;
  readonly prefix: PrefixRecord;
}

/** The source and the prefix that a request means, judged. `beforeBoundary` runs between the two. */
function groundOf(
  connection: StoreConnection,
  request: ForkPointRequest,
  beforeBoundary?: () => void,
): Ground {
  const source = requireSession(connection, request.source.sessionId);
  checkForkSource(source.record, request);
  beforeBoundary?.();
  const asked = askedBoundary(source.record, request);
  const length = "length" in asked ? asked.length : lengthOf(connection, source, asked);
  const prefix = prefixRecord(connection, source, length);
  checkForkBoundary(source.record, request, prefix);
  requirePrefixBlobs(connection, source, length);
  return { source, prefix };
}

function lengthOf(
  connection: StoreConnection,
  source: StoredSession,
  asked: { readonly messageId: string } | { readonly turnId: string },
): number {
  const spans = readSpans(connection, source);
  const position =
    "messageId" in asked
      ? positionOfMessage(connection, spans, asked.messageId)
      : positionOfTurn(connection, spans, asked.turnId);
  if (position !== undefined) return position + 1;
  const reason = "messageId" in asked ? "unknown_message" : "unknown_turn";
  throw forkBoundary(reason, { source: source.record, at: null });
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
  const { source, prefix } = groundOf(connection, request, () =>
    requireFreeName(connection, request.child.member),
  );
  const now = clock.now();
  const sideStates = sideStatesOf(connection, source.key);
  const sideStateReset = resetKinds(sideStates, prefix.length);
  const plan = planFork(request, { source: source.record, prefix, shape, now, sideStateReset });
  const { operation, session, claim } = plan;
  const key = insertSession(connection, session);
  note(inheritSpans(connection, source.key, { key, len: session.len }));
  inheritSideStates(connection, sideStates, { key, len: session.len });
  reserveName(connection, operation.child.member, operation.id);
  insertOperation(connection, { child: key, source: source.key }, operation);
  addEvents(connection, [plan.event], { key, now });
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
  writeSeatedOperation(connection, plan.operation);
  writeSeat(connection, child.key, session);
  seatMember(connection, child.key, member);
  addEvents(connection, events, { key: child.key, now });
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
  updateOperation(connection, plan.operation);
  updateSession(connection, child.key, plan.session);
  freeName(connection, operation.child.member);
  addEvents(connection, [plan.event], { key: child.key, now });
  return plan.operation;
}
