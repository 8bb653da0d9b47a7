import type { ModelMessage } from "@mobkit/session";
import { copyFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDriver, openSqliteStore, type SqliteStore } from "../src/index.ts";
import { faultyDriver } from "../src/testing/index.ts";
import { leasedSession, says, temporaryPath } from "./temporary-store.ts";

type Store = SqliteStore<ModelMessage>;

/** A file with a session of many spans, a deleted parent of it, cancelled rows, blobs that are referred to and one that isn't. */
interface Prepared {
  readonly path: string;
  readonly sessionId: string;
  readonly messageIds: readonly string[];
}

async function prepare(path: string): Promise<Prepared> {
  const store = await openSqliteStore(path);
  const parent = await leasedSession(store, "parent");
  const shared = [says("first"), says("secret ".repeat(3000)), says("third")];
  const { ids } = await store.append(parent.id, { lease: parent.lease, expectedRev: 0, messages: shared });
  const { claim, session } = await store.forks.commit({
    source: { member: "parent", sessionId: parent.id },
    child: { member: "child", role: "general", labels: {} },
    at: 2,
    request: {},
    requestDigest: "d",
    claim: { owner: "test", ttlMs: 1000 },
  });
  await store.forks.seat({ claim: claim! });
  const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
  for (let rev = 0; rev < 70; rev += 2) {
    const messages = [says(`kept ${rev}`), says("wrong")];
    const { len } = await store.append(session.id, { lease, expectedRev: rev, messages });
    await store.cancel(session.id, { lease, expectedRev: rev + 1, to: len - 1, reason: "wrong" });
  }
  await store.setState(parent.id, { state: "tombstone" });
  await store.blobs.put("loose");
  await store.close();
  return { path, sessionId: session.id, messageIds: ids.slice(0, 2) };
}

const operations: Readonly<Record<string, (store: Store, prepared: Prepared) => Promise<unknown>>> = {
  collection: (store) => store.upkeep.collect({ graceMs: 0, stepSize: 20 }),
  redaction: (store, { sessionId, messageIds }) => store.upkeep.redact({ sessionId, messageIds }),
  rebase: (store) => store.upkeep.rebase({ stepSize: 20 }),
};

/** Runs an operation on a copy of the file; the step of that number fails, never to happen or with its answer lost. */
async function runWithFault(
  prepared: Prepared,
  name: string,
  fault: { readonly at: number; readonly side: "before" | "after" } | undefined,
) {
  const path = temporaryPath();
  copyFileSync(prepared.path, path);
  let steps: number | undefined;
  const look = (side: "before" | "after") => (): void => {
    if (steps === undefined) return;
    if (side === "before") steps += 1;
    if (fault?.side === side && fault.at === steps) throw Object.assign(new Error("io"), { errcode: 10 });
  };
  const plan = { before: look("before"), after: look("after") };
  const store = await openSqliteStore(path, { driver: faultyDriver(await loadDriver(), plan) });
  steps = 0;
  const outcome = await operations[name]!(store, prepared).catch((error: unknown) => error);
  const taken = steps;
  steps = undefined;
  return { store, outcome, steps: taken };
}

/** Ids, positions and digests of the transcript with the kept bodies. */
async function transcript(store: Store, { sessionId }: Prepared): Promise<unknown[]> {
  const rows = [];
  for await (const { id, position, digest, body, redacted } of store.read(sessionId)) {
    rows.push({ id, position, digest, body: redacted ? null : body });
  }
  return rows;
}

async function isSound(store: Store): Promise<unknown> {
  const checker = await store.extend({ name: "checker", migrations: [] });
  return checker.read(({ sql }) => sql.get("SELECT * FROM pragma_integrity_check"));
}

/** Steps that are tried of each operation, spread over all of them. */
const tried = 8;

// S30, S31, S32
test.each(Object.keys(operations))(
  "an IO error at any step of a %s leaves the transcript whole, and a repetition brings the same end",
  async (name) => {
    const prepared = await prepare(temporaryPath());
    const untouched = await openSqliteStore(prepared.path);
    const before = await transcript(untouched, prepared);
    await untouched.close();
    const clean = await runWithFault(prepared, name, undefined);
    expect(clean.outcome).not.toBeInstanceOf(Error);
    const expected = await transcript(clean.store, prepared);
    await clean.store.close();
    for (let at = 1; at <= clean.steps; at += Math.ceil(clean.steps / tried)) {
      for (const side of ["before", "after"] as const) {
        const { store } = await runWithFault(prepared, name, { at, side });
        expect([before, expected]).toContainEqual(await transcript(store, prepared));
        await operations[name]!(store, prepared);
        expect(await transcript(store, prepared)).toEqual(expected);
        expect(await isSound(store)).toEqual({ integrity_check: "ok" });
        await store.close();
      }
    }
  },
);
