import { ChildSpec, type ChildPolicy } from "@basis/child-policy";
import { describe, expect, test } from "vitest";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHostOptions } from "../harness/test-host.ts";

const spawn = (input: string, id = "c1") => calls({ name: "spawn", input: { input }, id });
const delegating = {
  main: [spawn("find the fold"), { text: "done" }],
  child: [{ text: "found" }],
};

async function runDelegating(options: TestHostOptions = {}) {
  let consulted = 0;
  const { childPolicy = () => ChildSpec.inherit(), ...rest } = options;
  const counting: ChildPolicy = (context, given) => {
    consulted += 1;
    return childPolicy(context, given);
  };
  const host = await openTestHost({ agents: delegating, childPolicy: counting, ...rest });
  const report = await host.run("go");
  const result = resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
  return { host, report, result, consulted: () => consulted };
}

// C6
describe("floors come before the policy, the hooks' rewrite included, and before anybody is asked", () => {
  test.each([
    [
      "depth",
      { maxDepth: 0 },
      "this work is already 0 levels of delegation deep and spawn goes no deeper than 0",
    ],
    ["lifetime", { maxPerRun: 0 }, "this run has started 0 subagents and may start no more than 0"],
    ["tokens", { maxTokens: 0 }, ""],
  ])("%s", async (_floor, limits, text) => {
    const { host, report, result, consulted } = await runDelegating({ limits });
    expect(consulted()).toBe(0);
    expect(host.approver.asked).toEqual([]);
    expect(host.models.of("child")).toEqual([]);
    // With no token left not even the parent's own first round is asked for.
    expect(report.stoppedBy ?? result.value.slice(0, text.length)).toBe(text || "token_budget");
  });

  test("and let a delegation through that they allow", async () => {
    const { result, consulted } = await runDelegating({ limits: { maxDepth: 1, maxPerRun: 1 } });
    expect(consulted()).toBe(1);
    expect(result).toEqual({ type: "text", value: "found" });
  });
});

// C7
test("floors hold where the approver allows everything and rules remember it", async () => {
  const approver = new RecordingApprover({ decision: "allow_for_session" });
  const { host, consulted } = await runDelegating({
    approver,
    limits: { maxPerRun: 1 },
    agents: { main: [spawn("one", "c0"), spawn("one"), { text: "done" }], child: [{ text: "found" }] },
  });
  expect(consulted()).toBe(1);
  expect(host.models.of("child")).toHaveLength(1);
});

// C26
test("the depth floor's text names the depth and the limit", async () => {
  const { host } = await runDelegating({
    limits: { maxDepth: 1 },
    agents: {
      main: [spawn("one"), { text: "done" }],
      child: [spawn("two", "deep"), { text: "did it here" }],
    },
  });
  const refusal =
    "this work is already 1 levels of delegation deep and spawn goes no deeper than 1; do it here rather than handing it on";
  expect(JSON.stringify(host.models.of("child")[1]!.messages)).toContain(refusal);
});

// C22
test("a provider that is not registered is named in the tool's error, and nobody is asked", async () => {
  const { host, result } = await runDelegating({
    childPolicy: () => ChildSpec.inherit().withModel({ provider: "nowhere", id: "m" }),
  });
  expect(result).toMatchObject({ type: "error-text", value: expect.stringContaining("nowhere") });
  expect(host.approver.asked).toEqual([]);
  expect(host.models.of("child")).toEqual([]);
});

// C21
test("a model whose window is known is opened without anything being listed", async () => {
  const { host, result } = await runDelegating({
    childPolicy: () => ChildSpec.inherit().withModel({ provider: "cheap", id: "m", contextWindow: 1000 }),
  });
  expect(result).toMatchObject({ type: "text" });
  expect(host.models.requests.map(({ agent }) => agent)).toEqual(["main", "child", "main"]);
});

// C25
describe("a policy that cannot answer refuses the delegation and never falls back to inheriting", () => {
  test.each([
    ["throws", () => Promise.reject(new Error("secret of the policy")), "the child policy failed"],
    ["answers nonsense", () => "yes" as never, "answered neither a ChildSpec nor {refuse}"],
    ["answers nothing", () => undefined as never, "answered neither a ChildSpec nor {refuse}"],
  ])("when it %s", async (_how, childPolicy, text) => {
    const { host, result } = await runDelegating({ childPolicy });
    expect(result).toMatchObject({ type: "error-text", value: expect.stringContaining(text) });
    expect(host.models.of("child")).toEqual([]);
    expect(JSON.stringify(host.models.requests)).not.toContain("secret of the policy");
  });

  test("and one that refuses is quoted", async () => {
    const { result } = await runDelegating({ childPolicy: () => ({ refuse: "not today" }) });
    expect(result.value).toBe("the child policy refused this delegation: not today");
  });
});

// C64
test("a delegation that cannot be previewed is refused without asking", async () => {
  const { host, result } = await runDelegating({
    agents: { main: [spawn("   "), { text: "done" }], child: [] },
  });
  expect(result).toMatchObject({ type: "error-text", value: expect.stringContaining("the input is empty") });
  expect(host.approver.asked).toEqual([]);
});

// C4
test("a plan that is another when the delegation goes on is stale", async () => {
  let asked = 0;
  const host = await openTestHost({
    agents: delegating,
    approver: new RecordingApprover({ decision: "park" }),
    childPolicy: () => ChildSpec.inherit().withSystem(`number ${asked++}`),
  });
  const parked = await host.run("go");
  const { sessionId } = parked.transcript!;
  const allow = { decision: "allow", by: "x", at: Date.now() } as const;
  await host.state.ledger.approvals.resolve(parked.approvalId!, allow);
  await host.run(undefined, { sessionId });
  expect(resultsOf(await host.transcript(sessionId))["c1"]).toMatchObject({
    value: expect.stringContaining("stale_approval"),
  });
  expect(host.models.of("child")).toEqual([]);
});

test("a plan that stays the same goes on once it is allowed", async () => {
  const host = await openTestHost({
    agents: delegating,
    approver: new RecordingApprover({ decision: "park" }),
    childPolicy: () => ChildSpec.inherit().withSystem("the same"),
  });
  const parked = await host.run("go");
  const { sessionId } = parked.transcript!;
  const allow = { decision: "allow", by: "x", at: Date.now() } as const;
  await host.state.ledger.approvals.resolve(parked.approvalId!, allow);
  await host.run(undefined, { sessionId });
  expect(resultsOf(await host.transcript(sessionId))["c1"]).toEqual({ type: "text", value: "found" });
});

// D10
test("a task that a hook rewrote is resolved and shown as rewritten", async () => {
  const prompts: string[] = [];
  const { host } = await runDelegating({
    childPolicy: ({ prompt }) => (prompts.push(prompt), ChildSpec.inherit()),
    interceptors: [
      {
        name: "guard",
        tools: ["spawn"],
        intercept: () => ({ decision: "modify", input: { input: "look only" } }),
      },
    ],
  });
  expect(prompts).toEqual(["look only"]);
  expect(host.approver.asked[0]!.preview).toMatchObject({ body: "look only" });
  expect(host.models.of("child")[0]!.messages).toEqual([{ role: "user", content: "look only" }]);
});
