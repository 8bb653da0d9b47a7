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
  integerOf,
  maxSpans,
  planAbandon,
  planFork,
  planSeat,
  runRebase,
  unknownSession,
} from "@mobkit/session/rules";
import { lostReferences, refuseLostBlobs } from "./blobs.ts";
import { findMember, freeName, holderOf, insertMember, refuseHeldName, reserveName } from "./members.ts";
import { positionOf, prefixRecord } from "./messages.ts";
import { tell } from "./notices.ts";
import { sourceOf } from "./fork-source.ts";
import { findOperation, holdOperation, insertOperation, updateOperation } from "./operation-rows.ts";
import { addEvents } from "./outbox.ts";
import { rebaseSteps } from "./rebase.ts";
import {
  findSession,
  insertSession,
  nextKeySql,
  requireSession,
  updateSession,
  type StoredSession,
} from "./session-rows.ts";
import { inheritSideStates, readSideStates, resetKinds } from "./side-states.ts";
import { insertSpans, sliceOf } from "./spans.ts";
import type { Sql, SqlRow } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { shareUpkeep } from "./upkeep-lock.ts";

/** The fork transitions of a store. The source is only read; a child costs its own rows, however long the prefix. */
export function postgresForks<M>(context: StoreContext<M>): SessionForks<M> {
  const { transactions } = context;
  return {
    source: ({ member, kind, signal }) => transactions.read((sql) => sourceOf(sql, member, kind), signal),
    inspect: (request) =>
      transactions.read(async (sql) => {
        const [source, lost] = await Promise.all([
          requireSession(sql, request.source.sessionId),
          lostReferences(sql),
        ]);
        return boundaryOf(sql, { source, lost }, request);
      }, request.signal),
    commit: async (request) => {
      checkCommitRequest(request);
      const { commit, spans } = await transactions.write(
        (sql) => commitOnce(context, sql, request),
        request.signal,
      );
      // In the background: whatever fails is tried again with the next rebase.
      if (spans > maxSpans) {
        void runRebase(rebaseSteps(context), { sessionId: commit.session.id }).catch(() => undefined);
      }
      return commit;
    },
    seat: (request) => transactions.write((sql) => seatOnce(context, sql, request), request.signal),
    abandon: (request) => transactions.write((sql) => abandonOnce(context, sql, request), request.signal),
  };
}

interface Ground {
  readonly source: StoredSession;
  readonly lost: readonly SqlRow[];
}

/** The prefix that a request means on a source, judged. `beforeBoundary` runs once the source has been judged. */
async function boundaryOf(
  sql: Sql,
  { source, lost, beforeBoundary }: Ground & { readonly beforeBoundary?: () => void },
  request: ForkPointRequest,
): Promise<PrefixRecord> {
  checkForkSource(source.record, request);
  beforeBoundary?.();
  const asked = askedBoundary(source.record, request);
  const length = "length" in asked ? asked.length : await lengthOf(sql, source, asked);
  const prefix = await prefixRecord(sql, source.spans, length);
  checkForkBoundary(source.record, request, prefix);
  refuseLostBlobs(lost, source, length);
  return prefix;
}

async function lengthOf(
  sql: Sql,
  source: StoredSession,
  asked: { readonly messageId: string } | { readonly turnId: string },
): Promise<number> {
  const position = await positionOf(sql, source.spans, asked);
  if (position !== undefined) return position + 1;
  const reason = "messageId" in asked ? "unknown_message" : "unknown_turn";
  throw forkBoundary(reason, { source: source.record, at: null });
}

/** Three round trips: everything but the boundary, the boundary's row, and the writes with their commit. */
async function commitOnce<M>(
  { shape, time, server }: StoreContext<M>,
  sql: Sql,
  request: ForkCommitRequest<M>,
): Promise<Decision<{ readonly commit: ForkCommit<M>; readonly spans: number }>> {
  const { sessionId } = request.source;
  const { idempotencyKey, child } = request;
  const [, source, lost, [origin], holder, states, known] = await Promise.all([
    shareUpkeep(sql, server.options.schema),
    findSession(sql, { id: sessionId }, "share"),
    lostReferences(sql),
    sql.query(nextKeySql),
    holderOf(sql, child.member),
    readSideStates(sql, sessionId),
    idempotencyKey === undefined
      ? undefined
      : findOperation<M>(sql, "fork_op.idempotency_key", idempotencyKey),
  ]);
  if (known !== undefined)
    return { answer: { commit: await replayedCommit(sql, known, request), spans: 0 }, writes: [] };
  if (source === undefined) throw unknownSession(sessionId);
  const beforeBoundary = (): void => refuseHeldName(child.member, holder);
  const prefix = await boundaryOf(sql, { source, lost, beforeBoundary }, request);
  const now = time.at(integerOf(origin!, "now_ms"));
  const sideStateReset = resetKinds(states, prefix.length);
  const plan = planFork(request, { source: source.record, prefix, shape, now, sideStateReset });
  const { operation, session, claim } = plan;
  const key = integerOf(origin!, "key");
  const spans = sliceOf(source.spans, 0, prefix.length);
  const writes = [
    insertSession(key, session),
    insertSpans(key, spans),
    ...inheritSideStates(states, { key, len: session.len }),
    reserveName(child.member, operation.id),
    insertOperation({ child: key, source: source.key }, operation),
    addEvents([plan.event], { key, now }),
    tell(server.options.schema, session),
  ];
  const commit = Object.freeze({ operation, session, claim, replayed: false });
  return { answer: { commit, spans: spans.length }, writes };
}

async function replayedCommit<M>(
  sql: Sql,
  operation: ForkOperation<M>,
  request: ForkCommitRequest<M>,
): Promise<ForkCommit<M>> {
  checkSameRequest(operation, request);
  const { record: session } = await requireSession(sql, operation.child.sessionId);
  return Object.freeze({ operation, session, claim: null, replayed: true });
}

interface Found<M> {
  readonly operation: ForkOperation<M>;
  readonly child: StoredSession;
  readonly nowMs: number;
}

/** An operation and its child; while the operation is held, nobody else changes a child that isn't seated. */
async function holdFork<M>(sql: Sql, operationId: string): Promise<Found<M>> {
  const [held, child] = await Promise.all([
    holdOperation<M>(sql, operationId),
    findSession(sql, { operation: operationId }, "write"),
  ]);
  return { ...held, child: child! };
}

async function seatOnce<M>(
  { time, server, cache }: StoreContext<M>,
  sql: Sql,
  request: ForkSeatRequest,
): Promise<Decision<ForkSeat<M>>> {
  const { operation, child, nowMs } = await holdFork<M>(sql, request.claim.operationId);
  const now = time.at(nowMs);
  const plan = planSeat({ operation, session: child.record }, request, now);
  if (plan === undefined) {
    const member = (await findMember(sql, operation.child.member))!;
    return {
      answer: Object.freeze({ operation, session: child.record, member, replayed: true }),
      writes: [],
    };
  }
  cache.forget(child.record.id);
  const { member, session, events } = plan;
  const writes = [
    updateOperation(plan.operation),
    updateSession(child.key, session),
    freeName(member.member),
    insertMember(child.key, member),
    addEvents(events, { key: child.key, now }),
    tell(server.options.schema, session),
  ];
  return { answer: Object.freeze({ operation: plan.operation, session, member, replayed: false }), writes };
}

async function abandonOnce<M>(
  { time, server, cache }: StoreContext<M>,
  sql: Sql,
  request: Parameters<SessionForks<M>["abandon"]>[0],
): Promise<Decision<ForkOperation<M>>> {
  const { operation, child, nowMs } = await holdFork<M>(sql, request.operationId);
  const now = time.at(nowMs);
  const plan = planAbandon({ operation, session: child.record }, request.claim, now);
  if (plan === undefined) return { answer: operation, writes: [] };
  cache.forget(child.record.id);
  const writes = [
    updateOperation(plan.operation),
    updateSession(child.key, plan.session),
    freeName(operation.child.member),
    addEvents([plan.event], { key: child.key, now }),
    tell(server.options.schema, plan.session),
  ];
  return { answer: plan.operation, writes };
}
