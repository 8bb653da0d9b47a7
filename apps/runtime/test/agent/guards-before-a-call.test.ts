import { scriptedInterceptor } from "@basis/hooks/testing";
import { describe, expect, test } from "vitest";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHostOptions } from "../harness/test-host.ts";

const oneCall = { main: [calls({ name: "probe", input: { value: "asked" }, id: "c1" }), { text: "done" }] };

async function runOnce(options: TestHostOptions) {
  const host = await openTestHost({ agents: oneCall, ...options });
  const report = await host.run("go");
  const { sessionId } = report.transcript!;
  return { host, report, results: resultsOf(await host.transcript(sessionId)) };
}

describe.each(stateKinds)("a call in a host with its state in %s", (state) => {
  test("runs with the input it was made with when no guard objects", async () => {
    const probe = probeTool("probe");
    const { host, report, results } = await runOnce({ state, tools: [probe] });
    expect(report).toMatchObject({ outcome: "completed", text: "done" });
    expect(probe.ran).toEqual([{ value: "asked" }]);
    expect(results["c1"]).toEqual({ type: "text", value: 'ran probe {"value":"asked"}' });
    expect(host.approver.asked).toHaveLength(1);
    expect(host.events.types()).toEqual([
      "run_started",
      "user_message",
      "usage",
      "assistant_message",
      "tool_queued",
      "permission_requested",
      "permission_resolved",
      "tool_started",
      "tool_completed",
      "assistant_delta",
      "usage",
      "assistant_message",
      "run_finished",
    ]);
  });

  // H75
  test("is not run and nobody is asked when a hook denies it; the model reads the reason", async () => {
    const probe = probeTool("probe");
    const guard = scriptedInterceptor("guard", [{ decision: "deny", reason: "not on a Friday" }]);
    const { host, results } = await runOnce({ state, tools: [probe], interceptors: [guard] });
    expect(probe.ran).toEqual([]);
    expect(host.approver.asked).toEqual([]);
    const value = "denied by interceptor 'guard': not on a Friday";
    expect(results["c1"]).toEqual({ type: "error-text", value });
    expect(host.events.data("hook_decided")).toMatchObject([{ decision: "deny", event: "pre_tool_use" }]);
    expect(await host.state.ledger.intentsOf(host.events.all[0]!.session)).toEqual([]);
  });

  // H76
  test("shows tool, approver and rules nothing but the input that a hook left", async () => {
    const probe = probeTool("probe");
    const guard = scriptedInterceptor(
      "guard",
      [{ decision: "modify", input: { value: "rewritten" }, reason: "a secret reason" }],
      { events: ["pre_tool_use"] },
    );
    const idle = scriptedInterceptor("idle", [], { events: ["post_tool_use"], tools: ["other"] });
    const { host, results } = await runOnce({ state, tools: [probe], interceptors: [guard, idle] });
    expect(probe.ran).toEqual([{ value: "rewritten" }]);
    expect(host.approver.asked.map(({ input }) => input)).toEqual([{ value: "rewritten" }]);
    expect(host.events.data("tool_started").map(({ input }) => input)).toEqual([{ value: "rewritten" }]);
    expect(JSON.stringify(host.models.requests)).not.toContain("secret reason");
    expect(results["c1"]).toMatchObject({ type: "text" });
    const [decided] = host.events.data("hook_decided");
    expect(decided).toMatchObject({
      decision: "modify",
      reason: "interceptor 'guard': a secret reason",
      participants: [{ decision: "modify", reason: "a secret reason", input: { value: "rewritten" } }],
      not_asked: [{ who: "interceptor 'idle'", why: "filtered" }],
    });
  });
});

// H76
test("a rule that covers the model's input does not cover what a hook made of it", async () => {
  const probe = probeTool("probe");
  const pattern = { exact: { value: "asked" } };
  const rules = [{ toolName: "probe", effect: "allow", scope: "process", pattern }] as const;
  const { memoryRuleStore } = await import("@basis/approval");
  const approver = (): RecordingApprover => new RecordingApprover({ decision: "deny", reason: "no" });
  const covered = await runOnce({ tools: [probe], rules: memoryRuleStore({ rules }), approver: approver() });
  expect(covered.host.approver.asked).toEqual([]);
  expect(probe.ran).toEqual([{ value: "asked" }]);
  const guard = scriptedInterceptor("guard", [{ decision: "modify", input: { value: "other" } }], {
    events: ["pre_tool_use"],
  });
  const rewritten = await runOnce({
    tools: [probe],
    rules: memoryRuleStore({ rules }),
    approver: approver(),
    interceptors: [guard],
  });
  expect(rewritten.host.approver.asked).toHaveLength(1);
  expect(probe.ran).toHaveLength(1);
});

// H77
test("a rewrite that breaks the tool's schema is refused naming the hook, never its reason", async () => {
  const probe = probeTool("probe");
  const guard = scriptedInterceptor("guard", [
    { decision: "modify", input: { value: 7 }, reason: "a secret reason" },
  ]);
  const { host, results } = await runOnce({ tools: [probe], interceptors: [guard] });
  expect(probe.ran).toEqual([]);
  expect(host.approver.asked).toEqual([]);
  const { value } = results["c1"] as { value: string };
  expect(value).toMatch(
    /^The call was rewritten by interceptor 'guard', and the rewrite is no valid input for 'probe': /,
  );
  expect(value).not.toContain("secret");
});

test("the model's own bad input is told as its own", async () => {
  const probe = probeTool("probe");
  const agents = { main: [calls({ name: "probe", input: { value: 7 }, id: "c1" }), { text: "done" }] };
  const { results } = await runOnce({ tools: [probe], agents });
  expect(probe.ran).toEqual([]);
  expect((results["c1"] as { value: string }).value).toMatch(/^Invalid input for 'probe': /);
});

// H78
test("hooks are asked about a call that the approver would refuse", async () => {
  const probe = probeTool("probe");
  const guard = scriptedInterceptor("guard", [{ decision: "allow" }]);
  const approver = new RecordingApprover({ decision: "deny", reason: "no" });
  const { results } = await runOnce({ tools: [probe], interceptors: [guard], approver });
  expect(guard.requests).toHaveLength(1);
  expect(probe.ran).toEqual([]);
  expect(results["c1"]).toEqual({ type: "error-text", value: "Tool execution denied: no" });
});

// H90
test("a tool that is put in another's place while its call is being judged is not run", async () => {
  const original = probeTool("probe");
  const swapped = probeTool("probe", { description: "Something else." });
  const host = await openTestHost({
    agents: oneCall,
    tools: [original],
    interceptors: [
      {
        name: "swapper",
        intercept: () => {
          (host.facts.tools as Map<string, unknown>).set("probe", swapped);
          return { decision: "allow" };
        },
      },
    ],
  });
  await host.run("go");
  expect(original.ran).toHaveLength(1);
  expect(swapped.ran).toEqual([]);
});

test("a guard that throws denies, is told of in an event, and its error's text stays out of the model's sight", async () => {
  const probe = probeTool("probe");
  const guard = scriptedInterceptor("guard", [new Error("secret of the guard")]);
  const { host, results } = await runOnce({ tools: [probe], interceptors: [guard] });
  expect(probe.ran).toEqual([]);
  expect((results["c1"] as { value: string }).value).toMatch(
    /^denied by interceptor 'guard': could not answer and denies on failure|^interceptor 'guard' could not answer and denies on failure/,
  );
  expect(host.events.data("hook_failed")).toMatchObject([{ who: "interceptor 'guard'" }]);
  expect(JSON.stringify(host.models.requests)).not.toContain("secret of the guard");
});
