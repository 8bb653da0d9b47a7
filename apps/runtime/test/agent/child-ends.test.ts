import { ChildSpec, ToolRoster } from "@basis/child-policy";
import { SessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, resultsOf, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

const spawn = (input: string, id = "c1") => calls({ name: "spawn", input: { input }, id });
const twoSpawns = calls(...["one", "two"].map((input) => ({ name: "spawn", input: { input } })));

async function runChild(child: readonly object[], options: TestHostOptions = {}) {
  const agents = { main: [spawn("go"), { text: "done" }], child } as TestHostOptions["agents"];
  const host = await openTestHost({ agents, ...options });
  const report = await host.run("go", {});
  const { sessionId } = report.transcript!;
  return { host, report, result: resultsOf(await host.transcript(sessionId))["c1"] as { value: string } };
}

// C59–C61
describe("what a parent reads of its child", () => {
  test.each([
    ["its last text", [{ text: "found it" }], { type: "text", value: "found it" }],
    [
      "that it said nothing, when it said nothing",
      [{ text: "  " }],
      { type: "text", value: "The subagent finished without saying anything." },
    ],
    [
      "why it failed",
      [{ error: { code: "server_error", message: "the provider broke" } }],
      { type: "error-text", value: "the delegated run failed: the provider broke" },
    ],
  ])("is %s", async (_what, child, expected) => {
    const { report, result } = await runChild(child);
    expect(report.outcome).toBe("completed");
    expect(result).toEqual(expected);
  });

  test("is its last text even when a call stood in the last round with words", async () => {
    const { result } = await runChild([
      { text: "I list.", ...calls({ name: "list", input: {} }) },
      { text: "a.txt" },
    ]);
    expect(result.value).toBe("a.txt");
  });
});

// C27, C28, C29
describe("the ledger of running children", () => {
  const one = { maxConcurrent: 1 };

  test("gives siblings the same depth, one after the other", async () => {
    const { host } = await runChild([], {
      limits: one,
      agents: { main: [twoSpawns, { text: "done" }], child: [{ text: "found" }] },
    });
    const agents = host.events.data("run_started").map(({ agent }) => agent);
    expect(agents.map((agent) => agent.split("/").length - 1)).toEqual([0, 1, 1]);
    expect(new Set(agents).size).toBe(3);
  });

  test.each([
    ["a success", [{ text: "found" }]],
    ["a failure", [{ error: { code: "server_error" as const } }]],
  ])("is empty after %s: with one place there is room for the next", async (_end, child) => {
    const { host, report } = await runChild([], {
      limits: one,
      agents: { main: [spawn("one"), spawn("two", "c2"), { text: "done" }], child },
    });
    expect(report.outcome).toBe("completed");
    expect(host.events.data("child_started")).toHaveLength(2);
  });

  const again = [{ when: { contains: "again" }, ...spawn("two") }, spawn("one")];

  test("is empty after an abort", async () => {
    const host: TestHost = await openTestHost({
      limits: one,
      agents: { main: [again, { text: "done" }], child: [{ text: "found" }] },
      onRequest: (_request, number) => {
        if (number === 2) prepared.cancel();
      },
    });
    const prepared = await host.runtime.prepare(host.facts);
    const { sessionId } = prepared;
    expect(await prepared.run("go")).toMatchObject({ outcome: "cancelled" });
    expect(await host.run("again", { sessionId })).toMatchObject({ outcome: "completed" });
    const ends = host.events.data("child_finished").map(({ status }) => status);
    expect(ends).toEqual(["cancelled", "completed"]);
  });

  test("is empty after a child whose session could not be opened, and that child is told as failed", async () => {
    let refusals = 0;
    const { host, report, result } = await runChild([], {
      limits: one,
      agents: {
        main: [spawn("one"), { text: "done" }, spawn("two", "c2"), { text: "done" }],
        child: [{ text: "found" }],
      },
      wrapStore: (store) => ({
        ...store,
        async acquireLease(sessionId, request) {
          if ((await store.head(sessionId)).spawnedBy === null || refusals++ > 0)
            return store.acquireLease(sessionId, request);
          const details = { sessionId, owner: "elsewhere:1:x", expiresAt: 0 };
          throw new SessionError("lease_held", "held", { details });
        },
      }),
    });
    expect(result).toEqual({ type: "error-text", value: "'spawn' failed inside the host; its log says why" });
    expect(host.events.data("error")).toMatchObject([{ code: "lease_held", tool_name: "spawn" }]);
    await host.run("again", { sessionId: report.transcript!.sessionId });
    const ends = host.events.data("child_finished").map(({ status }) => status);
    expect(ends).toEqual(["failed", "completed"]);
  });
});

// C14, C15: a tool outside the child's roster that is called by name anyway is not run.
test("a tool that the child was not given is not run when it calls it by name", async () => {
  const probe = probeTool("probe");
  const { host } = await runChild([calls({ name: "probe", input: {}, id: "x" }), { text: "found" }], {
    tools: [probe],
    childPolicy: () => ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
  });
  expect(probe.ran).toEqual([]);
  expect(JSON.stringify(host.models.of("child")[1]!.messages)).toContain("there is no tool 'probe'");
});

// C63
test("two delegations of one round run one after the other", async () => {
  const { host } = await runChild([], {
    agents: { main: [twoSpawns, { text: "done" }], child: [{ text: "found" }] },
  });
  const types = host.events.types().filter((type) => type === "child_started" || type === "child_finished");
  expect(types).toEqual(["child_started", "child_finished", "child_started", "child_finished"]);
});
