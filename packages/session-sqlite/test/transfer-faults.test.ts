import { isSessionError, memoryStore, type ModelMessage } from "@mobkit/session";
import { exportSession, importSession, verifyBundle } from "@mobkit/session/bundle";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { loadDriver, openSqliteStore, type SqliteStore } from "../src/index.ts";
import { faultyDriver, type DriverStep } from "../src/testing/index.ts";
import { says, temporaryPath } from "./temporary-store.ts";

const FULL = 13;
const IO = 10;

/** A bundle with a blob, a compaction and side state, short enough to try every step of its import. */
async function bundle(): Promise<string[]> {
  const store = memoryStore();
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
  const sideState = [{ kind: "todo", onFork: "copy", value: [1] } as const];
  const write = { lease, expectedRev: 0, sideState, mark: { summarises: 1, keepFrom: 0 }, turnId: "t1" };
  await store.append(id, { ...write, messages: [says("a"), says("b ".repeat(10_000)), says("summary")] });
  const lines: string[] = [];
  for await (const line of exportSession(store, id)) lines.push(line);
  return lines;
}

/** What an import whose n-th step fails answers, and what the file holds afterwards, opened anew. */
async function attempt(lines: readonly string[], fault: (step: number, at: DriverStep) => void) {
  const path = temporaryPath();
  await (await openSqliteStore(path)).close();
  let steps = 0;
  let armed = false;
  const strike = (step: DriverStep): void => {
    if (armed && step.operation === "run") fault((steps += 1), step);
  };
  const store = await openSqliteStore(path, { driver: faultyDriver(await loadDriver(), { after: strike }) });
  armed = true;
  const outcome = await importSession(store, lines, { member: "copy", role: "r" }).catch(
    (error: unknown) => error,
  );
  armed = false;
  await store.close();
  const later = await openSqliteStore(path);
  const found = await stateOf(later);
  await later.close();
  return { steps, outcome, found };
}

async function stateOf(store: SqliteStore<ModelMessage>) {
  const sessions = (await store.listSessions({ state: "ready" })).items;
  const holder = await store.members.holder("copy");
  if (sessions.length === 0) return { whole: false, named: holder !== undefined };
  const again: string[] = [];
  for await (const line of exportSession(store, sessions[0]!.id)) again.push(line);
  const { messages, headDigest } = await verifyBundle(again, { shape: store.shape });
  return { whole: true, named: holder !== undefined, messages, headDigest };
}

// S35, D21: a failure at any step of an import, whether or not the step was carried out, leaves all of it or nothing.
test.each([
  ["a full disk", FULL],
  ["an IO error", IO],
])("%s at any step of an import leaves a whole session or none", { timeout: 60_000 }, async (_, errcode) => {
  const lines = await bundle();
  const calm = await attempt(lines, () => undefined);
  expect(calm.found).toMatchObject({ whole: true, named: true, messages: 3 });
  const verdicts = new Set<string>();
  for (let at = 1; at <= calm.steps; at += 1) {
    const struck = await attempt(lines, (step) => {
      if (step === at) throw Object.assign(new Error("made up"), { errcode });
    });
    verdicts.add(verdictOf(struck, calm));
  }
  expect(calm.steps).toBeGreaterThan(20);
  expect([...verdicts].toSorted()).toEqual(["none, and a typed refusal", "whole"]);
});

type Attempt = Awaited<ReturnType<typeof attempt>>;

function verdictOf({ found, outcome }: Attempt, calm: Attempt): string {
  if (found.whole) return isDeepStrictEqual(found, calm.found) ? "whole" : "half";
  if (found.named) return "a name without its session";
  return isSessionError(outcome) ? "none, and a typed refusal" : `none, and ${String(outcome)}`;
}
