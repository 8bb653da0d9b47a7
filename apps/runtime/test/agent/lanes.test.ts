import type { JsonValue } from "@basis/core";
import { describe, expect, test } from "vitest";
import { textOutcome, type ToolOutcome } from "../../src/tools/tool.ts";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds } from "../harness/test-host.ts";

/** Counts how many calls run at once. Each goes on when `together` have begun, however long their store takes. */
function meter(together: number) {
  const seen = { begun: 0, now: 0, most: 0 };
  let open: () => void;
  const allIn = new Promise<void>((resolve) => (open = resolve));
  const run = async (input: JsonValue): Promise<ToolOutcome> => {
    seen.begun += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    if (seen.begun >= together) open();
    await allIn;
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
    seen.now -= 1;
    return textOutcome(`ran ${JSON.stringify(input)}`);
  };
  return { seen, run };
}

const made = [0, 1, 2, 3].map((number) => ({ name: "look", input: { count: number }, id: `c${number}` }));
const agents = { main: [calls(...made), { text: "done" }] };

// H83
describe.each(stateKinds)("calls that may run side by side, with the state in %s", (state) => {
  const runLane = async (parallel: boolean) => {
    const { seen, run } = meter(parallel ? 3 : 1);
    const look = readProbe("look", { run, parallelSafe: () => parallel });
    const host = await openTestHost({
      state,
      agents,
      tools: [look],
      interceptors: [
        {
          name: "guard",
          intercept: ({ input }) => {
            const { count } = input as { count: number };
            if (count === 1) return { decision: "deny", reason: "not one" };
            return count === 2 ? { decision: "modify", input: { count: 20 } } : { decision: "allow" };
          },
        },
      ],
    });
    const report = await host.run("go");
    const results = resultsOf(await host.transcript(report.transcript!.sessionId));
    const perCall = made.map(({ id }) =>
      host.events.all
        .filter(({ data }) => "tool_call_id" in data && data.tool_call_id === id)
        .map(({ type }) => type),
    );
    return { results, perCall, most: seen.most, outcome: report.outcome };
  };

  test("give the same results and events as one after the other", async () => {
    const [parallel, serial] = [await runLane(true), await runLane(false)];
    expect(parallel.most).toBe(3); // all but the one that is denied
    expect(serial.most).toBe(1);
    expect({ ...parallel, most: 0 }).toEqual({ ...serial, most: 0 });
    expect(parallel.results["c1"]).toMatchObject({ type: "error-text" });
    expect(parallel.results["c2"]).toEqual({ type: "text", value: 'ran {"count":20}' });
  });
});

test("a call that is not safe waits for those before it and is waited for by those behind", async () => {
  const order: string[] = [];
  const noting = (name: string) => async (): Promise<ToolOutcome> => {
    order.push(`${name} in`);
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
    order.push(`${name} out`);
    return textOutcome(name);
  };
  const tools = [readProbe("look", { run: noting("look") }), probeTool("change", { run: noting("change") })];
  const host = await openTestHost({
    agents: {
      main: [
        calls(...["look", "look", "change", "look"].map((name) => ({ name, input: {} }))),
        { text: "done" },
      ],
    },
    tools,
  });
  await host.run("go");
  expect(order.slice(0, 2)).toEqual(["look in", "look in"]);
  expect(order.slice(4)).toEqual(["change in", "change out", "look in", "look out"]);
});

// H84
describe("a call that may run beside others", () => {
  const look = () =>
    readProbe("look", { parallelSafe: (input) => (input as { value?: string }).value !== "alone" });
  const rewriting = (value: string) => ({
    name: "guard",
    intercept: () => ({ decision: "modify", input: { value } }) as const,
  });

  test.each([1, 2])(
    "is refused when a hook makes it one that may not, with %d calls in the lane",
    async (lane) => {
      const probe = look();
      const same = Array.from({ length: lane }, (_, index) => ({ name: "look", input: {}, id: `c${index}` }));
      const host = await openTestHost({
        agents: { main: [calls(...same), { text: "done" }] },
        tools: [probe],
        interceptors: [rewriting("alone")],
      });
      const report = await host.run("go");
      expect(probe.ran).toEqual([]);
      expect(resultsOf(await host.transcript(report.transcript!.sessionId))["c0"]).toEqual({
        type: "error-text",
        value:
          "The call was rewritten by interceptor 'guard' into one that cannot run beside others; it is not run",
      });
    },
  );

  test("runs when a hook rewrites it and leaves it safe", async () => {
    const probe = look();
    const host = await openTestHost({
      agents: { main: [calls({ name: "look", input: {} }), { text: "done" }] },
      tools: [probe],
      interceptors: [rewriting("beside")],
    });
    await host.run("go");
    expect(probe.ran).toEqual([{ value: "beside" }]);
  });
});

// H85
test("a call is judged by the guards that stood when its workspace was opened, and by what they were", async () => {
  const probe = probeTool("probe");
  const guard = { name: "guard", intercept: () => ({ decision: "allow" }) as const };
  const interceptors: { name: string; intercept: () => { decision: "allow" } | { decision: "deny" } }[] = [
    guard,
  ];
  const host = await openTestHost({
    agents: { main: [calls({ name: "probe", input: {} }), { text: "done" }] },
    tools: [probe],
    interceptors,
    approver: new RecordingApprover(() => {
      interceptors.push({ name: "late", intercept: () => ({ decision: "deny" }) });
      Object.assign(guard, { intercept: () => ({ decision: "deny" }) });
      return { decision: "allow" };
    }),
  });
  await host.run("go");
  expect(probe.ran).toHaveLength(1);
  expect(host.facts.hooks.participants.map(({ name }) => name)).toEqual(["guard"]);
});
