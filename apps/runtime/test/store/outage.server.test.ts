import { expect, test } from "vitest";
import { HandBackError } from "../../src/agent/turn/run-end.ts";
import { databaseProxy } from "../harness/database-proxy.ts";
import { asOperator, databaseOf } from "../harness/database-state.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { allOf, storedEvents } from "../harness/stored-events.ts";
import { calls, openTestHost, type TestHost } from "../harness/test-host.ts";

const limits = { maxConnections: 2, reconnectMs: 300, busyTimeoutMs: 500 };

/** A host whose way to the database can be closed. */
async function reachingHost(rounds: Parameters<typeof openTestHost>[0] & object): Promise<TestHost> {
  return openTestHost({ state: "postgres", ...rounds });
}

function letLeasesRunOut({ state }: TestHost): Promise<void> {
  return asOperator(
    state,
    "UPDATE session SET lease_expires_at = 0, version = version + 1 WHERE lease_owner IS NOT NULL",
  );
}

// S27
test("a database that goes away during a turn fails it with a typed reason; what was acknowledged is there afterwards, and told", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  const database = { url: proxy.url, limits };
  let ran = 0;
  const tool = {
    ...probeTool("probe"),
    execute: async () => {
      ran += 1;
      proxy.close(true);
      return { output: "done", isError: false };
    },
  };
  const agents = { main: [calls({ name: "probe", input: {} }), { text: "never asked" }, { text: "again" }] };
  const host = await reachingHost({ database, agents, tools: [tool] });
  const prepared = await host.runtime.prepare(host.facts);
  const report = await prepared.run("go");
  expect(report).toMatchObject({ outcome: "failed", failure: { code: "store_unavailable" } });
  expect(ran).toBe(1);
  expect(await host.state.events.flush()).toBe(false); // kept for when it is back
  proxy.close(false);
  expect(await host.state.events.flush()).toBe(true);
  const { sessionId } = prepared;
  const told = (await storedEvents(host.state, sessionId)).map(({ type }) => type);
  expect(told).toContain("run_started");
  expect(told.at(-1)).toBe("run_finished");
  await letLeasesRunOut(host); // nobody could give it back
  const again = await host.run("and now?", { sessionId });
  expect(again.outcome).toBe("completed");
  expect(ran).toBe(1); // what was under way is told as unknown, and not run again
  expect(JSON.stringify(await host.transcript(sessionId))).toContain("outcome unknown");
});

// runtime.md 7
test("a queued run whose database goes away goes back to the queue as it stands, and ends at the next worker", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  let ran = 0;
  const tool = {
    ...probeTool("probe"),
    execute: async () => {
      ran += 1;
      proxy.close(true);
      return { output: "done", isError: false };
    },
  };
  const agents = { main: [calls({ name: "probe", input: {} }), { text: "after it" }] };
  const host = await reachingHost({ database: { url: proxy.url, limits }, agents, tools: [tool] });
  const { id: sessionId } = await host.state.store.createSession({ member: "queued", role: "main" });
  const queued = { id: "run-1", from: 0, worker: "a worker", standing: async () => "again" as const };
  await expect(host.run("go", { sessionId, queued })).rejects.toBeInstanceOf(HandBackError);
  proxy.close(false);
  await letLeasesRunOut(host);
  expect(await host.run("go", { sessionId, queued })).toMatchObject({ outcome: "completed", runId: "run-1" });
  expect(ran).toBe(1);
  const types = (await storedEvents(host.state, sessionId)).map(({ type }) => type);
  expect(types.filter((type) => type === "run_started" || type === "run_finished")).toHaveLength(2);
  expect(types.at(-1)).toBe("run_finished");
});

test("followers are told again once the way to the database is back", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  const here = await reachingHost({ database: { url: proxy.url, limits } });
  const there = await reachingHost({ after: here });
  const told: (string | undefined)[] = [];
  const { changes } = here.state;
  let wake = (): void => undefined;
  changes.listen((change) => {
    told.push(change === undefined ? undefined : "session" in change ? change.session : "cancel");
    wake();
  });
  const until = async (isTold: () => boolean): Promise<void> => {
    while (!isTold()) await new Promise<void>((resolve) => (wake = resolve));
  };
  await until(() => told.length === 1);
  there.state.events.emit({ session: "s" }, "notice", { text: "one" });
  await until(() => told.at(-1) === "s");
  proxy.close(true);
  there.state.events.emit({ session: "missed" }, "notice", { text: "two" });
  await there.state.events.flush();
  proxy.close(false);
  await until(() => told.at(-1) === undefined); // look for yourself
  there.state.events.emit({ session: "t" }, "notice", { text: "three" });
  await until(() => told.at(-1) === "t");
  here.state.events.emit({ session: "own" }, "notice", { text: "four" });
  await here.state.events.flush();
  await there.state.ledger.cancels.ask({ runId: "r", sessionId: "s", at: 1 });
  await until(() => told.at(-1) === "cancel");
  expect(told).toEqual([undefined, "s", undefined, "t", "cancel"]);
  const all = await allOf(here.state.events.readAll(0));
  expect(all.map(({ event }) => event.session)).toEqual(["s", "missed", "t", "own"]);
});
