import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { Delegation } from "../../src/agent/children/spawn-tool.ts";
import { calls, openTestHost } from "../harness/test-host.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MANY = 1000;
const EACH = MANY / 4;
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

/** Opens when so many have come. */
function gate(count: number): { readonly opened: Promise<void>; readonly come: () => Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrived = 0;
  const come = (): Promise<void> => {
    arrived += 1;
    if (arrived === count) open();
    return opened;
  };
  return { opened, come };
}

/** One delegation: the prompt names its end. */
const delegating = (name: string) => ({
  when: { contains: name },
  ...calls({ name: "spawn", input: { input: name }, id: "task" }),
});
const agents = {
  main: [["good", "bad", "ended", "unnamed"].map(delegating), { text: "done" }],
  good: [{ text: "found" }],
  bad: [{ error: { code: "bad_request" as const } }],
  ended: [{ text: "too late" }],
};

// L1, C27: through the host's own runner, each child in a session of its own.
test("a thousand delegations at once end in success, failure, abort and throw, and nothing of them is left", async () => {
  const held: WeakRef<object>[] = [];
  const allRun = gate(3 * EACH);
  const host = await openTestHost({
    limits: { maxConcurrent: 3 * EACH },
    agents,
    nameChild: (delegation: Delegation) => {
      held.push(new WeakRef(delegation), new WeakRef(delegation.parent), new WeakRef(delegation.plan));
      if (delegation.task === "unnamed") throw new Error("no name");
      return delegation.task;
    },
    onRequest: ({ agent }) => (agent === "main" ? undefined : allRun.come()),
  });
  const before = timers();
  const wave = async (size: number): Promise<readonly string[]> => {
    const started = Array.from({ length: size }, async (_, at) => {
      const name = ["good", "bad", "ended", "unnamed"][at % 4]!;
      const prepared = await host.runtime.prepare(host.facts);
      if (name === "ended") void allRun.opened.then(() => prepared.cancel());
      return (await prepared.run(name)).outcome;
    });
    return Promise.all(started);
  };
  const outcomes = await wave(MANY);
  expect(outcomes.filter((each) => each === "completed")).toHaveLength(3 * EACH);
  expect(outcomes.filter((each) => each === "cancelled")).toHaveLength(EACH);
  const ends = host.events.data("child_finished").map(({ status }) => status);
  for (const end of ["completed", "failed", "cancelled"])
    expect(ends.filter((status) => status === end)).toHaveLength(EACH);
  await new Promise((done) => void setImmediate(done));
  collect();
  expect(timers()).toBeLessThanOrEqual(before);
  // The engine itself may keep the last one for a while.
  expect(held.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
  expect(await wave(8)).toHaveLength(8);
}, 120_000);
