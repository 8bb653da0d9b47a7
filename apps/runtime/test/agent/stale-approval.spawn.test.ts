import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedInterceptor } from "@basis/hooks/testing";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHost } from "../harness/test-host.ts";

const files = { "deploy.sh": "echo first", "unrelated.txt": "x" };
const approved = /first/;

/** Runs a command whose approver changes the workspace before answering. */
async function runCommand(made: { name: string; input: unknown }, meddle: (root: string) => void) {
  const approver = new RecordingApprover(() => {
    meddle(host.root);
    return { decision: "allow" };
  });
  const agents = { main: [calls({ ...made, id: "c1" }), { text: "done" }] };
  const host: TestHost = await openTestHost({ agents, files, allowCommands: true, approver });
  const report = await host.run("go");
  const result = resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
  return { host, result };
}

const swap = (root: string): void => writeFileSync(join(root, "deploy.sh"), "echo second");

// S10
describe("an approval of a command is one of the files that it names", () => {
  const forms = [
    ["run", { name: "run", input: { argv: ["sh", "deploy.sh"] } }],
    ["run, behind an option", { name: "run", input: { argv: ["sh", "./deploy.sh", "--config=deploy.sh"] } }],
    ["a command of spawn", { name: "spawn", input: { input: "!sh 'deploy.sh' && true" } }],
  ] as const;

  test.each(forms)("%s is refused as stale when one changes after the approval", async (_form, made) => {
    const { host, result } = await runCommand(made, swap);
    expect(result.value).toBe("Tool execution denied: the call is not covered by a live approval: changed");
    expect(host.events.data("tool_started")).toEqual([]);
    expect(host.events.data("permission_resolved").map(({ decision }) => decision)).toEqual([
      "allow",
      "deny",
    ]);
  });

  test.each(forms)("%s runs when none changes, whatever else does", async (_form, made) => {
    const { result } = await runCommand(made, (root) => writeFileSync(join(root, "unrelated.txt"), "y"));
    expect(result.value).toMatch(approved);
  });

  test("a named file that is put there after the approval makes it stale", async () => {
    const made = { name: "run", input: { argv: ["sh", "late.sh"] } };
    const { result } = await runCommand(made, (root) => writeFileSync(join(root, "late.sh"), "echo late"));
    expect(result.value).toContain("not covered by a live approval");
  });
});

// S10
describe("an approval that was given later", () => {
  const agents = { main: [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }] };
  const parkOnce = (): RecordingApprover => new RecordingApprover({ decision: "park" });
  const allow = async (host: TestHost, sessionId: string): Promise<void> => {
    const [record] = await host.state.ledger.approvals.list({ sessionId });
    await host.state.ledger.approvals.resolve(record!.approvalId, {
      decision: "allow",
      by: "x",
      at: Date.now(),
    });
  };

  test("does not cover a call that the hooks now make another", async () => {
    const probe = probeTool("probe");
    const guard = scriptedInterceptor(
      "guard",
      [{ decision: "allow" }, { decision: "modify", input: { value: "y" } }],
      { events: ["pre_tool_use"] },
    );
    const host = await openTestHost({ agents, tools: [probe], interceptors: [guard], approver: parkOnce() });
    const { sessionId } = (await host.run("go")).transcript!;
    await allow(host, sessionId);
    await host.run(undefined, { sessionId });
    expect(probe.ran).toEqual([]);
    expect(resultsOf(await host.transcript(sessionId))["c1"]).toMatchObject({
      type: "error-text",
      value: expect.stringContaining("stale_approval"),
    });
  });

  test("does not cover another tool that now stands behind the name", async () => {
    const first = await openTestHost({
      state: "sqlite",
      agents,
      tools: [probeTool("probe")],
      approver: parkOnce(),
    });
    const { sessionId } = (await first.run("go")).transcript!;
    await allow(first, sessionId);
    await first.close();
    const other = probeTool("probe", { description: "Something else." });
    const next = await openTestHost({ state: "sqlite", after: first, agents, tools: [other] });
    await next.run(undefined, { sessionId });
    expect(other.ran).toEqual([]);
  });
});
