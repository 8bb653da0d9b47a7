import { scriptedInterceptor, type ScriptedAnswer } from "@basis/hooks/testing";
import type { HookRequest } from "@basis/hooks";
import { expect, test } from "vitest";
import { textOutcome } from "../../src/tools/tool.ts";
import { probeTool, type ProbeOptions } from "../harness/probe-tool.ts";
import { calls, openTestHost, resultsOf } from "../harness/test-host.ts";

async function runReviewed(answer: ScriptedAnswer, probed: ProbeOptions = {}) {
  const probe = probeTool("probe", probed);
  const guard = scriptedInterceptor("guard", [answer], { events: ["post_tool_use"] });
  const agents = { main: [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }] };
  const host = await openTestHost({
    agents,
    tools: [probe],
    interceptors: [{ ...guard, review: guard.intercept }],
  });
  const report = await host.run("go");
  const results = resultsOf(await host.transcript(report.transcript!.sessionId));
  return { host, probe, guard, result: results["c1"] };
}

const replace = (output: string): ScriptedAnswer => ({
  decision: "replace",
  output,
  isError: false,
  reason: "a secret reason",
});

// H79
test("a replaced result is what stream, transcript and model get; the raw one is in no sink", async () => {
  const run = (): ReturnType<typeof textOutcome> => textOutcome("raw bytes");
  const { host, result } = await runReviewed(replace("reviewed"), { run });
  expect(result).toEqual({ type: "text", value: "reviewed" });
  expect(host.events.data("tool_completed")).toMatchObject([{ output: "reviewed", is_error: false }]);
  const told = JSON.stringify([host.events.all, host.models.requests]);
  expect(told).not.toContain("raw bytes");
  expect(host.events.data("hook_decided")).toMatchObject([{ event: "post_tool_use", decision: "replace" }]);
});

test("a result that no hook changes is shown as it is", async () => {
  const { host, result } = await runReviewed({ decision: "allow" });
  expect(result).toEqual({ type: "text", value: 'ran probe {"value":"x"}' });
  expect(host.events.data("tool_completed")).toMatchObject([{ output: 'ran probe {"value":"x"}' }]);
});

// H80
test("a denial after the call keeps its effect and shows the model the reason as an error", async () => {
  const { host, probe, result } = await runReviewed({ decision: "deny", reason: "holds a key" });
  expect(probe.ran).toEqual([{ value: "x" }]);
  expect(result).toEqual({ type: "error-text", value: "denied by interceptor 'guard': holds a key" });
  const [intent] = await host.state.ledger.intentsOf(host.events.all[0]!.session);
  expect(intent).toMatchObject({ toolName: "probe", finishedAt: expect.any(Number) });
});

// H81
test("a hook is asked about an error too, and may turn it into a result", async () => {
  const run = (): ReturnType<typeof textOutcome> => textOutcome("it broke", true);
  const { guard, result } = await runReviewed(replace("mended"), { run });
  expect(guard.requests).toMatchObject([{ output: "it broke", isError: true }]);
  expect(result).toEqual({ type: "text", value: "mended" });
});

// H6
test("after the call a hook sees the input that the tool ran with", async () => {
  const requests: HookRequest[] = [];
  const probe = probeTool("probe");
  const agents = { main: [calls({ name: "probe", input: { value: "x" } }), { text: "done" }] };
  const host = await openTestHost({
    agents,
    tools: [probe],
    interceptors: [
      {
        name: "guard",
        intercept: () => ({ decision: "modify", input: { value: "y" } }),
        review: (request) => {
          requests.push(request);
          return { decision: "allow" };
        },
      },
    ],
  });
  await host.run("go");
  expect(requests.map(({ input }) => input)).toEqual([{ value: "y" }]);
});

// H82
test("a text result is stored as text, any other as JSON, and their errors alike", async () => {
  const outcomes = [
    textOutcome('{"looks":"like JSON"}'),
    { output: { is: "JSON" }, isError: false },
    textOutcome("bad", true),
    { output: ["bad"], isError: true },
  ];
  let next = 0;
  const probe = probeTool("probe", { run: () => outcomes[next++]! });
  const made = outcomes.map((_, index) => ({ name: "probe", input: {}, id: `c${index}` }));
  const host = await openTestHost({ agents: { main: [calls(...made), { text: "done" }] }, tools: [probe] });
  const report = await host.run("go");
  expect(resultsOf(await host.transcript(report.transcript!.sessionId))).toEqual({
    c0: { type: "text", value: '{"looks":"like JSON"}' },
    c1: { type: "json", value: { is: "JSON" } },
    c2: { type: "error-text", value: "bad" },
    c3: { type: "error-json", value: ["bad"] },
  });
});

// H31
test("the reasons of hooks that change or replace reach the events and never the model", async () => {
  const { host } = await runReviewed(replace("reviewed"));
  expect(JSON.stringify(host.events.data("hook_decided"))).toContain("a secret reason");
  expect(JSON.stringify(host.models.requests)).not.toContain("secret");
});
