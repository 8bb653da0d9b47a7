import { newId } from "@basis/core";
import type { SessionStore, WriteResult } from "@mobkit/session";
import {
  planWrite,
  prepareAppend,
  prepareCancel,
  prepareUpdate,
  replayOf,
  workDigest,
  type PreparedWrite,
  type WritePlan,
} from "@mobkit/session/rules";
import { fencedWrite } from "./append-statement.ts";
import type { PostgresTransaction } from "./lent-sql.ts";
import type { KnownSession } from "./session-cache.ts";
import { requireSession } from "./session-rows.ts";
import { clipStoredSpans } from "./spans.ts";
import type { Sql } from "./sql.ts";
import type { StoreContext } from "./store-context.ts";
import type { Decision } from "./transactions.ts";
import { adjustOnce } from "./work.ts";
import { forgetWrites, isTimeToForget, recallWrite, type RepeatableWrite } from "./write-ids.ts";
import { needsLookup, persistBeside, refuseKnownIds, rowsBefore } from "./write-lookups.ts";

type Prepared = PreparedWrite<PostgresTransaction>;
type SessionWrites<M> = Pick<
  SessionStore<M, PostgresTransaction>,
  "append" | "update" | "cancel" | "adjustWork"
>;

/** The writes of a store. */
export function postgresWrites<M>(context: StoreContext<M>): SessionWrites<M> {
  const origin = () => ({ shape: context.shape, now: context.time.estimate() });
  const write = async (sessionId: string, prepared: Prepared): Promise<WriteResult> =>
    (await writeAtOnce(context, sessionId, prepared)) ?? writeLocked(context, sessionId, prepared);
  return {
    append: async (sessionId, request) => write(sessionId, prepareAppend(request, origin())),
    update: async (sessionId, request) => write(sessionId, prepareUpdate(request)),
    cancel: async (sessionId, request) => write(sessionId, prepareCancel(request, origin())),
    adjustWork: async (sessionId, request) => {
      const digest = workDigest(request);
      context.cache.forget(sessionId);
      return context.transactions.write(
        (sql) => adjustOnce(context, sql, { sessionId, request, digest }),
        request.signal,
      );
    },
  };
}

/**
 * One statement and one round trip, decided on what this process knows of the session. Undefined when the write needs a
 * look at the database, or when what is known has become old: nothing was written then.
 */
async function writeAtOnce<M>(
  { cache, transactions, time, server }: StoreContext<M>,
  sessionId: string,
  prepared: Prepared,
): Promise<WriteResult | undefined> {
  const known = cache.get(sessionId);
  if (known === undefined || needsLookup(prepared)) return undefined;
  const plan = planOn(known, prepared, time.estimate());
  if (plan === undefined || isTimeToForget(plan.session.rev)) return undefined;
  const commitId = newId(plan.session.updatedAt);
  const { key, version } = known;
  const statement = fencedWrite({
    key,
    version,
    plan,
    events: prepared.change.events ?? [],
    repeatable: repeatableOf(prepared),
    commitId,
    schema: server.options.schema,
  });
  cache.forget(sessionId);
  const wrote = await transactions.single(commitId, statement, { signal: prepared.change.signal });
  if (!wrote) return undefined;
  cache.keep({ key, version: version + 1, record: plan.session });
  return plan.result;
}

/** A refusal that is decided on old knowledge is none yet. */
function planOn(known: KnownSession, prepared: Prepared, now: number): WritePlan | undefined {
  try {
    return planWrite(known.record, prepared, { now });
  } catch {
    return undefined;
  }
}

/** A write in a transaction of its own, decided under the session's row lock. */
async function writeLocked<M>(
  context: StoreContext<M>,
  sessionId: string,
  prepared: Prepared,
): Promise<WriteResult> {
  const { transactions, cache } = context;
  cache.forget(sessionId);
  const decide = (sql: Sql) => writeOnce(context, sql, { sessionId, prepared });
  const { result, known } = await transactions.write(decide, prepared.change.signal);
  if (known !== undefined) cache.keep(known);
  return result;
}

/** A write's result, and what is known of the session once it is committed. */
interface Written {
  readonly result: WriteResult;
  readonly known?: KnownSession;
}

async function writeOnce<M>(
  { time, server }: StoreContext<M>,
  sql: Sql,
  { sessionId, prepared }: { readonly sessionId: string; readonly prepared: Prepared },
): Promise<Decision<Written>> {
  const repeatable = repeatableOf(prepared);
  const [session, first] = await Promise.all([
    requireSession(sql, sessionId, "write"),
    repeatable && recallWrite(sql, sessionId, repeatable),
  ]);
  if (first) return { answer: { result: replayOf(first as unknown as WriteResult) }, writes: [] };
  const moment = { now: time.at(session.nowMs), ...(await rowsBefore(sql, session, prepared)) };
  const plan = planWrite(session.record, prepared, moment);
  await refuseKnownIds(sql, session, prepared);
  const { key, version } = session;
  const { events = [], join } = prepared.change;
  const { schema } = server.options;
  const writes = [
    ...(plan.clipTo === null ? [] : [clipStoredSpans(key, plan.clipTo)]),
    fencedWrite({ key, version, plan, events, repeatable, commitId: null, schema }),
    ...(await persistBeside(sql, { key, plan }, prepared)),
    ...(isTimeToForget(plan.session.rev) ? [forgetWrites(key)] : []),
  ];
  const known = { key, version: version + 1, record: plan.session };
  return { answer: { result: plan.result, known }, writes, join };
}

function repeatableOf({ change, contentDigest }: Prepared): RepeatableWrite | undefined {
  return change.writeId === undefined ? undefined : { id: change.writeId, digest: contentDigest! };
}
