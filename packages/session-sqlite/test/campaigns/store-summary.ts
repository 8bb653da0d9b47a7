import { existsSync } from "node:fs";
import type { ModelMessage, SessionRecord } from "@mobkit/session";
import { openSqliteStore, type SqliteStore } from "../../src/index.ts";

type Store = SqliteStore<ModelMessage>;

function ensure(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** What a store tells whoever opens it, without the ids and times of its own making. @throws Error for what is wrong with it. */
export async function summaryOf(path: string): Promise<string> {
  const own = existsSync(path) ? await summaryOfFile(path) : undefined;
  const copy = existsSync(`${path}.copy`) ? await summaryOfFile(`${path}.copy`) : undefined;
  return JSON.stringify({ own: own ?? (await emptySummary(path)), copy });
}

/** A file that is missing is a store that is empty. */
async function emptySummary(path: string): Promise<unknown> {
  return summaryOfFile(path);
}

async function summaryOfFile(path: string): Promise<unknown> {
  const store = await openSqliteStore(path);
  try {
    await checkFile(store);
    return await readSummary(store);
  } finally {
    await store.close();
  }
}

async function checkFile(store: Store): Promise<void> {
  const checker = await store.extend({ name: "checker", migrations: [] });
  const [verdict, dangling] = await checker.read(({ sql }) => [
    sql.get("SELECT * FROM pragma_integrity_check"),
    sql.get("SELECT * FROM pragma_foreign_key_check"),
  ]);
  ensure(verdict?.["integrity_check"] === "ok", `the file is damaged: ${JSON.stringify(verdict)}`);
  ensure(dangling === undefined, `a row refers to nothing: ${JSON.stringify(dangling)}`);
}

/** Sessions by what they say, forks by their child; the invariants of forks are checked on the way. */
async function readSummary(store: Store): Promise<unknown> {
  const sessions: unknown[] = [];
  for (const state of ["pending", "ready", "archived", "quarantined"] as const) {
    for (const record of (await store.listSessions({ state, limit: 1000 })).items) {
      const operation = await store.operations.ofSession(record.id);
      // What an import has begun is pending without a fork; nobody is led to it.
      if (state === "pending" && operation === undefined) continue;
      sessions.push(await readSession(store, record, operation?.child.member));
    }
  }
  const forks = await readForks(store);
  const members = (await store.members.list({ limit: 1000 })).items.map(({ member }) => member);
  const events = (await store.outbox.list({ limit: 1000 })).items.map(({ kind }) => kind);
  return { sessions, forks, members, events, generation: await store.upkeep.generation() };
}

async function readSession(store: Store, record: SessionRecord, child: string | undefined): Promise<unknown> {
  const { id, len, settledLen, openCalls, headDigest, binding, state, runTurn, queuedInputs } = record;
  const texts: string[] = [];
  let [settled, open, digest] = [0, 0, ""];
  for await (const row of store.read(id)) {
    ensure(row.position === texts.length, `row ${texts.length} of ${id} says ${row.position}`);
    texts.push(JSON.stringify(row.body).slice(0, 40));
    ({ openAfter: open, digest } = row);
    if (open === 0) settled = texts.length;
  }
  ensure(texts.length === len, `${id} has ${texts.length} rows and says ${len}`);
  ensure(settled === settledLen && open === openCalls.length, `${id} has other open calls than it says`);
  ensure(len === 0 || digest === headDigest, `${id} has another digest than it says`);
  await checkSpans(store, record);
  const plan = await store.sideState(id, "plan");
  const cancels = (await store.cancelMarks(id)).length;
  const name = binding?.member ?? child ?? null;
  return { name, state, texts, openCalls, runTurn, queuedInputs, plan: plan?.value ?? null, cancels };
}

/** Spans are sorted, disjoint and cover the transcript. */
async function checkSpans(store: Store, { id, state, len }: SessionRecord): Promise<void> {
  if (state === "pending") return;
  const { spans } = await store.transfer!.outline(id);
  let next = 0;
  for (const { start, lo, hi } of spans) {
    ensure(start === next && hi > lo, `the spans of ${id} are not in order`);
    next += hi - lo;
  }
  ensure(next === len, `the spans of ${id} end at ${next}, not at ${len}`);
}

const CHILD_STATES = {
  committed: ["pending"],
  seated: ["ready", "tombstone"],
  abandoned: ["tombstone"],
} as const;

async function readForks(store: Store): Promise<unknown> {
  const { items } = await store.operations.list({ limit: 1000 });
  const keys = items.map(({ idempotencyKey }) => idempotencyKey);
  ensure(new Set(keys).size === keys.length, "a key has made two children");
  for (const { id, state, source, child } of items) {
    const record = await store.head(child.sessionId);
    ensure(
      (CHILD_STATES[state] as readonly string[]).includes(record.state),
      `${id} is ${state}, its child ${record.state}`,
    );
    ensure(record.baseLen === source.len, `the child of ${id} has another base`);
    if (record.state === "tombstone") continue;
    const { digest, openAfter } = await store.prefix(child.sessionId, source.len);
    ensure(digest === source.digest && openAfter === 0, `the child of ${id} has another prefix`);
    const holder = await store.members.holder(child.member);
    ensure(
      holder?.holder === (state === "committed" ? "reserved" : "seated"),
      `the name of ${id} is not held`,
    );
  }
  return items.map(({ state, child }) => ({ state, child: child.member }));
}
