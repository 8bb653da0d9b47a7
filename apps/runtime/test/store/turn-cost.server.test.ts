import { manualClock } from "@basis/core/testing";
import { expect, test } from "vitest";
import { databaseProxy } from "../harness/database-proxy.ts";
import { databaseOf } from "../harness/database-state.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

/** Rows of more than a page, so that a turn which read its whole session would be seen. */
const TURNS = 12;

/** A turn of two rounds, with a call between them. */
const TURN_WITH_CALL = TURNS;

/** The connection for notices is made before anything is counted. */
function untilListening({ state: { changes } }: TestHost): Promise<void> {
  return new Promise((resolve) => {
    const silence = changes.listen(() => {
      silence();
      resolve();
    });
  });
}

test("a turn costs six round trips; one with a call that changes something sixteen; the first one of a session in a process fourteen", async () => {
  const proxy = await databaseProxy(databaseOf("").url);
  const says = (text: string) => ({ text });
  const turns = Array.from({ length: TURNS }, (_, at) => says(`${at}`));
  const call = calls({ name: "probe", input: {} });
  const agents = {
    main: [
      [{ when: { contains: "warm" }, text: "warm" }, turns[0]!],
      ...turns.slice(1),
      call,
      says("called"),
      says("cold"),
    ],
  };
  let current: TestHost;
  const options: TestHostOptions = {
    state: "postgres",
    // A batch of events is what was told before a model was asked, and what was told when the run ended.
    database: { url: proxy.url, limits: { maxConnections: 2 }, gatherMs: 60_000, nearMs: 60_000 },
    clock: manualClock(), // no look that only time asks for
    onRequest: async () => void (await current.state.events.flush()),
    agents,
    tools: [probeTool("probe")],
  };
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = proxy.roundTrips;
    await work();
    return proxy.roundTrips - before;
  };
  current = await openTestHost(options);
  await untilListening(current);
  const { sessionId } = (await current.run("begin")).transcript!;
  const costs: number[] = [];
  for (let turn = 1; turn <= TURN_WITH_CALL; turn += 1)
    costs.push(await costOf(() => current.run("more", { sessionId })));
  expect(costs.slice(0, -1)).toEqual(Array.from({ length: TURNS - 1 }, () => 6));
  expect(costs.at(-1)).toBe(16);
  const first = current;
  await first.close();
  current = await openTestHost({ ...options, after: first });
  await untilListening(current);
  await current.run("warm");
  expect(await costOf(() => current.run("more", { sessionId }))).toBe(14);
});
