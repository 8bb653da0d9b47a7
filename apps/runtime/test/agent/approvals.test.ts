import { renameSync, rmSync, symlinkSync } from "node:fs";
import { scriptedInterceptor } from "@basis/hooks/testing";
import { memoryRuleStore } from "@basis/approval";
import { describe, expect, test } from "vitest";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover, type ScriptedApproval } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHostOptions } from "../harness/test-host.ts";

const twice = {
  main: [
    calls({ name: "probe", input: { value: "x" }, id: "c1" }),
    calls({ name: "probe", input: { value: "x" }, id: "c2" }),
    { text: "done" },
  ],
};

async function runAsked(answers: readonly ScriptedApproval[], options: TestHostOptions = {}) {
  const probe = probeTool("probe");
  const approver = new RecordingApprover(...answers);
  const host = await openTestHost({ agents: twice, tools: [probe], approver, ...options });
  const report = await host.run("go");
  return { host, probe, results: resultsOf(await host.transcript(report.transcript!.sessionId)) };
}

// C40
test("a denied call is not run, and an allowed one is", async () => {
  const { host, probe, results } = await runAsked([
    { decision: "deny", reason: "not now" },
    { decision: "allow" },
  ]);
  expect(probe.ran).toEqual([{ value: "x" }]);
  expect(results["c1"]).toEqual({ type: "error-text", value: "Tool execution denied: not now" });
  expect(results["c2"]).toMatchObject({ type: "text" });
  expect(host.events.data("permission_resolved").map(({ decision }) => decision)).toEqual(["deny", "allow"]);
  expect(await host.state.ledger.intentsOf(host.events.all[0]!.session)).toHaveLength(1);
});

// S10
test("a workspace that has moved by the time a call runs makes its approval stale; one that has not does not", async () => {
  let root = "";
  const move = async (): Promise<{ decision: "allow" }> => {
    renameSync(root, `${root}-moved`);
    symlinkSync(`${root}-moved`, root);
    return { decision: "allow" };
  };
  const probe = probeTool("probe");
  const approver = new RecordingApprover({ decision: "allow" }, move);
  const host = await openTestHost({ agents: twice, tools: [probe], approver });
  ({ root } = host);
  try {
    const report = await host.run("go");
    const results = resultsOf(await host.transcript(report.transcript!.sessionId));
    expect(probe.ran).toEqual([{ value: "x" }]);
    expect(results["c1"]).toMatchObject({ type: "text" });
    expect(results["c2"]).toMatchObject({
      value: expect.stringContaining("is not covered by a live approval"),
    });
  } finally {
    rmSync(`${root}-moved`, { recursive: true });
  }
});

// C41
test("nobody is asked about a call that changes nothing", async () => {
  const look = readProbe("look");
  const host = await openTestHost({
    agents: { main: [calls({ name: "look", input: {} }), { text: "done" }] },
    tools: [look],
    approver: new RecordingApprover({ decision: "deny" }),
  });
  await host.run("go");
  expect(look.ran).toHaveLength(1);
  expect(host.approver.asked).toEqual([]);
  expect(host.events.data("permission_requested")).toEqual([]);
});

// C42
describe("an approver that cannot answer denies and is named", () => {
  const broken: readonly (readonly [string, ScriptedApproval])[] = [
    ["throws", () => Promise.reject(new Error("secret of the approver"))],
    ["answers nonsense", { decision: "perhaps" } as never],
    ["answers nothing", undefined as never],
  ];
  test.each(broken)("when it %s", async (_how, answer) => {
    const { host, probe, results } = await runAsked([answer]);
    expect(probe.ran).toEqual([]);
    const { value } = results["c1"] as { value: string };
    expect(value).toMatch(/^Tool execution denied: approver 'test' could not answer: /);
    expect(JSON.stringify(host.models.requests)).not.toContain("secret of the approver");
  });
});

// C43
test("a remembered refusal repeats its reason and says that asking again will not change it", async () => {
  const { host, probe, results } = await runAsked([{ decision: "deny_for_session", reason: "never that" }]);
  expect(host.approver.asked).toHaveLength(1);
  expect(probe.ran).toEqual([]);
  const text =
    "Tool execution denied: never that. This refusal is remembered: asking again will not change it.";
  expect(results["c1"]).toEqual({ type: "error-text", value: text });
  expect(results["c2"]).toEqual({ type: "error-text", value: text });
});

test("what was allowed for the session is not asked again", async () => {
  const { host, probe } = await runAsked([{ decision: "allow_for_session" }]);
  expect(host.approver.asked).toHaveLength(1);
  expect(probe.ran).toHaveLength(2);
});

test("a deny rule stands above an approver that allows everything", async () => {
  const rules = memoryRuleStore({
    rules: [{ toolName: "probe", effect: "deny", scope: "global", reason: "house rule" }],
  });
  const { host, probe } = await runAsked([{ decision: "allow" }], { rules });
  expect(probe.ran).toEqual([]);
  expect(host.approver.asked).toEqual([]);
});

// S11
describe("an approver's edit", () => {
  const once = { main: [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }] };
  const edit = (value: unknown): ScriptedApproval => ({
    decision: "allow",
    input: { value } as never,
  });

  test("goes through the hooks again and is what runs", async () => {
    const guard = scriptedInterceptor("guard", [{ decision: "allow" }, { decision: "allow" }], {
      events: ["pre_tool_use"],
    });
    const { host, probe } = await runAsked([edit("edited")], { agents: once, interceptors: [guard] });
    expect(guard.requests.map(({ input }) => input)).toEqual([{ value: "x" }, { value: "edited" }]);
    expect(probe.ran).toEqual([{ value: "edited" }]);
    expect(host.approver.asked).toHaveLength(1);
    expect(host.events.data("permission_resolved").map(({ decision }) => decision)).toEqual([
      "edited",
      "allow",
    ]);
  });

  test("that a hook denies is denied", async () => {
    const guard = scriptedInterceptor("guard", [{ decision: "allow" }, { decision: "deny", reason: "no" }]);
    const { probe, results } = await runAsked([edit("edited")], { agents: once, interceptors: [guard] });
    expect(probe.ran).toEqual([]);
    expect(results["c1"]).toEqual({ type: "error-text", value: "denied by interceptor 'guard': no" });
  });

  test("that breaks the schema is refused naming the approver", async () => {
    const { probe, results } = await runAsked([edit(7)], { agents: once });
    expect(probe.ran).toEqual([]);
    expect((results["c1"] as { value: string }).value).toMatch(
      /^The call was rewritten by approver 'test', and/,
    );
  });

  test("which a hook changes again goes back to the approver, and after three rounds the call is denied", async () => {
    let round = 0;
    const { host, probe, results } = await runAsked(
      [({ input }) => ({ decision: "allow", input: { value: `${(input as { value: string }).value}!` } })],
      {
        agents: once,
        interceptors: [
          { name: "guard", intercept: () => ({ decision: "modify", input: { value: `${round++}` } }) },
        ],
      },
    );
    expect(probe.ran).toEqual([]);
    expect(host.approver.asked).toHaveLength(3);
    expect((results["c1"] as { value: string }).value).toContain("did not settle in 3 rounds");
  });
});
