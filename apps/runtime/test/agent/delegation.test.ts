import { ChildSpec, ToolRoster, type ChildContext, type ChildPolicy } from "@basis/child-policy";
import { describe, expect, test } from "vitest";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHostOptions } from "../harness/test-host.ts";

const spawn = (input: string, id = "c1") => calls({ name: "spawn", input: { input }, id });
const delegating = {
  main: [spawn("find the fold"), { text: "done" }],
  child: [{ text: "it is in advance.ts" }],
};

async function runDelegating(options: TestHostOptions = {}) {
  const host = await openTestHost({ agents: delegating, ...options });
  const report = await host.run("go", { member: "main" });
  const result = resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
  return { host, report, result };
}

describe.each(stateKinds)("a delegation, with the state in %s", (state) => {
  test("runs in a session of its own that names its parent, and answers with the child's last text", async () => {
    const { host, report, result } = await runDelegating({ state });
    expect(result).toEqual({ type: "text", value: "it is in advance.ts" });
    const parent = report.transcript!.sessionId;
    const { items } = await host.state.store.listSessions();
    const child = items.find(({ id }) => id !== parent)!;
    expect(child.spawnedBy).toEqual({ sessionId: parent, runId: report.runId, callId: "c1" });
    const [first, ...rest] = host.events.of(child.id);
    expect(first).toMatchObject({
      type: "run_started",
      parent: { session: parent, run: report.runId, call_id: "c1" },
    });
    expect(rest.at(-1)!.type).toBe("run_finished");
  });

  // D10
  test("keeps the order: hooks, floors, policy, preview, approver, intent, start", async () => {
    const order: string[] = [];
    const { host } = await runDelegating({
      state,
      interceptors: [{ name: "guard", intercept: () => (order.push("hook"), { decision: "allow" }) }],
      childPolicy: () => (order.push("policy"), ChildSpec.inherit()),
      approver: new RecordingApprover(() => (order.push("approver"), { decision: "allow" })),
      onRequest: ({ agent }) => void (agent === "child" && order.push("child")),
    });
    expect(order).toEqual(["hook", "policy", "approver", "child"]);
    const session = host.events.data("child_started")[0]!;
    const types = host.events.types();
    expect(types.indexOf("child_previewed")).toBeLessThan(types.indexOf("permission_requested"));
    expect(types.indexOf("tool_started")).toBeLessThan(types.indexOf("child_started"));
    expect(types.indexOf("child_finished")).toBeLessThan(types.lastIndexOf("tool_completed"));
    expect(session.agent).toBe("child");
  });
});

// C1, C12, C23
describe("a child that inherits", () => {
  test.each([
    ["without a policy", undefined],
    ["with one that overrides nothing", () => ChildSpec.inherit()],
  ])(
    "%s is asked with the same bytes, and its approver sees exactly four facts",
    async (_how, childPolicy) => {
      const [plain, policed] = [await runDelegating(), await runDelegating({ childPolicy })];
      const bytes = ({ host }: typeof plain): string => {
        const { system, tools, messages } = host.models.of("child")[0]!;
        return JSON.stringify({ system, tools, messages });
      };
      expect(bytes(policed)).toBe(bytes(plain));
      const [asked] = policed.host.approver.asked;
      const { root } = policed.host;
      expect(asked!.preview).toEqual({ body: "find the fold", cwd: root, mode: "agent", target: "local" });
    },
  );

  test("has its parent's model, tools and system text, and the subagent's instructions after it", async () => {
    const { host } = await runDelegating();
    const [parent] = host.models.of("main");
    const [child] = host.models.of("child");
    expect(child!.tools).toEqual(parent!.tools);
    expect(child!.system!.startsWith(parent!.system!)).toBe(true);
    expect(child!.system!.slice(parent!.system!.length)).toContain("You are a subagent");
  });
});

// C2
test("the policy is told who delegates what, from where, and with how much left", async () => {
  const asked: ChildContext[] = [];
  const childPolicy: ChildPolicy = (context) => (asked.push(context), ChildSpec.inherit());
  const { host } = await runDelegating({ childPolicy });
  expect(asked).toEqual([
    {
      prompt: "find the fold",
      parentAgentId: "main",
      workspaceDir: host.root,
      depth: 0,
      parentTools: ["list", "read", "search", "spawn", "write"],
      parentModel: { provider: "scripted", id: "main" },
      remaining: { levels: 2, concurrent: 8, children: 100 },
      agents: [],
    },
  ]);
  expect(host.models.of("child")[0]!.messages).toEqual([{ role: "user", content: "find the fold" }]);
});

// C3, C24
test("the policy is asked once a delegation at every depth, for a grandchild with the child's id", async () => {
  const asked: ChildContext[] = [];
  const { host, report } = await runDelegating({
    nameChild: ({ parent }) => (parent.agent.depth === 0 ? "child" : "grandchild"),
    childPolicy: (context) => (asked.push(context), ChildSpec.inherit()),
    agents: {
      main: [spawn("one"), { text: "done" }],
      child: [spawn("two"), { text: "passed on" }],
      grandchild: [{ text: "found" }],
    },
  });
  expect(report.outcome).toBe("completed");
  expect(asked.map(({ depth, prompt }) => [depth, prompt])).toEqual([
    [0, "one"],
    [1, "two"],
  ]);
  const [started] = host.events.data("run_started").filter(({ agent }) => /\/child-/.test(agent));
  expect(asked[1]!.parentAgentId).toBe(started!.agent);
  const instructions = host.models.of("grandchild")[0]!.system!.match(/You are a subagent/g);
  expect(instructions).toHaveLength(1);
});

// C8–C11, C23
describe("a child with overrides", () => {
  const secret = "You triage in secret.";
  const childPolicy: ChildPolicy = () =>
    ChildSpec.inherit()
      .withModel({ provider: "cheap", id: "small" })
      .withRoster(ToolRoster.only(["search", "read"]))
      .withSystem(secret);

  test("is previewed by its provider-qualified model, sorted roster and a replaced system", async () => {
    const { host } = await runDelegating({ childPolicy });
    const child = {
      model: { id: "small", provider: "cheap" },
      roster: { offered: ["read", "search"] },
      system: "replaced",
    };
    expect(host.approver.asked[0]!.preview).toMatchObject({ child });
    expect(host.events.data("child_previewed")[0]!.preview).toEqual(host.approver.asked[0]!.preview);
    expect(host.events.data("child_started")[0]!.model).toEqual({ provider: "cheap", id: "small" });
    const models = host.events.data("run_started").map(({ model }) => model.id);
    expect(models).toEqual(["main", "small"]);
    const [request] = host.models.of("child");
    expect(request!.tools.map(({ name }) => name)).toEqual(["read", "search"]);
    expect(request!.system!.startsWith(`${secret}\n`)).toBe(true);
  });

  test("has its system text in no preview, event, rule, digest's companion or transcript", async () => {
    const { host } = await runDelegating({
      childPolicy,
      approver: new RecordingApprover({ decision: "allow_for_session" }),
    });
    const { items } = await host.state.store.listSessions();
    const transcripts = await Promise.all(items.map(({ id }) => host.transcript(id)));
    const told = JSON.stringify([host.events.all, transcripts, host.approver.asked]);
    expect(told).not.toContain("in secret");
    expect(host.events.data("child_previewed")[0]!.plan_digest).toMatch(/^sha256:/);
  });

  test("is refused when it would have what its parent lacks, and gets what its parent has", async () => {
    const rosters = [["read", "spawn"], ["read", "write"], ["read"]];
    const { host } = await runDelegating({
      nameChild: ({ parent }) => (parent.agent.depth === 0 ? "child" : "grandchild"),
      childPolicy: () => ChildSpec.inherit().withRoster(ToolRoster.only(rosters.shift()!)),
      agents: {
        main: [spawn("one"), { text: "done" }],
        child: [spawn("too much", "c2"), spawn("enough", "c3"), { text: "passed on" }],
        grandchild: [{ text: "found" }],
      },
    });
    const results = resultsOf(host.models.of("child").at(-1)!.messages);
    expect(results["c2"]).toEqual({
      type: "error-text",
      value: "a child may not have tools its parent lacks: write",
    });
    expect(results["c3"]).toEqual({ type: "text", value: "found" });
    expect(host.approver.asked).toHaveLength(2);
  });

  test("is told of asked-for names that no tool has", async () => {
    const { host } = await runDelegating({
      childPolicy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read", "raed"])),
    });
    expect(host.events.data("child_previewed")).toMatchObject([{ dropped: [], unknown: ["raed"] }]);
    expect(host.models.of("child")[0]!.tools.map(({ name }) => name)).toEqual(["read"]);
  });
});
