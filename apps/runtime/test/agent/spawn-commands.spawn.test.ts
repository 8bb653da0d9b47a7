import { ChildSpec, ToolRoster } from "@basis/child-policy";
import { recordingInterceptor } from "@basis/hooks/testing";
import { describe, expect, test } from "vitest";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHostOptions } from "../harness/test-host.ts";

async function runSpawn(input: string, options: TestHostOptions = {}) {
  let consulted = 0;
  const host = await openTestHost({
    allowCommands: true,
    agents: {
      main: [calls({ name: "spawn", input: { input }, id: "c1" }), { text: "done" }],
      child: [{ text: "did the task" }],
    },
    childPolicy: () => {
      consulted += 1;
      return ChildSpec.inherit();
    },
    ...options,
  });
  const report = await host.run("go");
  const result = resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
  return { host, result, consulted };
}

// C5, C62
describe("a command of spawn", () => {
  test("never consults the policy, is asked about as a process, and shows what it prints as it prints it", async () => {
    const { host, result, consulted } = await runSpawn("!echo hello; echo there");
    expect(consulted).toBe(0);
    expect(result).toEqual({ type: "text", value: "hello\nthere\n" });
    expect(host.approver.asked).toMatchObject([
      {
        sideEffectLevel: "process",
        preview: { body: "echo hello; echo there", cwd: host.root, mode: "command", target: "local" },
      },
    ]);
    const progress = host.events.data("tool_progress").map(({ text }) => text);
    expect(progress.join("")).toBe("hello\nthere\n");
    expect(host.models.of("child")).toEqual([]);
  });

  test.each([
    ["standard error, when it failed", "!echo out; echo err >&2; exit 3", "err\n"],
    ["standard output, when that is all that a failure printed", "!echo out; exit 3", "out\n"],
    ["its status, when a failure printed nothing", "!exit 3", "Command exited with status 3"],
  ])("answers with %s", async (_what, input, value) => {
    expect((await runSpawn(input)).result).toEqual({ type: "error-text", value });
  });

  // C39
  test.each(["!echo hello", "do the task"])("is asked about, as a task is: %s", async (input) => {
    const approver = new RecordingApprover({ decision: "deny", reason: "no" });
    const { host, result } = await runSpawn(input, { approver });
    expect(result).toEqual({ type: "error-text", value: "Tool execution denied: no" });
    expect(approver.asked).toHaveLength(1);
    expect(host.events.data("tool_started")).toEqual([]);
  });

  // C30
  test("runs at the depth floor, where a task is refused", async () => {
    expect((await runSpawn("!echo hello", { limits: { maxDepth: 0 } })).result.value).toBe("hello\n");
    expect((await runSpawn("a task", { limits: { maxDepth: 0 } })).result.value).toContain("goes no deeper");
  });

  // C53
  test("does not exist where commands are off, and tasks are still delegated", async () => {
    const off = { allowCommands: false };
    const { host, result } = await runSpawn("!echo hello", off);
    expect(result.value).toMatch(/^commands are off here/);
    expect(host.approver.asked).toEqual([]);
    expect((await runSpawn("a task", off)).result.value).toBe("did the task");
    const { description } = host.models.requests[0]!.tools.find(({ name }) => name === "spawn")!;
    expect(description).not.toContain("!command");
  });

  // S19
  test.each([
    [["read", "spawn"], /^commands are off here/],
    [["read", "run", "spawn"], /^hello/],
  ])("is a child's only with run in its roster: %j", async (tools, expected) => {
    const { host } = await runSpawn("a task", {
      agents: {
        main: [calls({ name: "spawn", input: { input: "a task" }, id: "c1" }), { text: "done" }],
        child: [
          calls({ name: "spawn", input: { input: "!echo hello" }, id: "c2" }),
          { text: "did the task" },
        ],
      },
      childPolicy: () => ChildSpec.inherit().withRoster(ToolRoster.only(tools)),
    });
    const answers = JSON.stringify(host.models.of("child").at(-1)!.messages.at(-1));
    expect(
      (JSON.parse(answers) as { content: [{ output: { value: string } }] }).content[0].output.value,
    ).toMatch(expected);
  });

  // S19
  test.each([
    ["!echo hello", "command"],
    [" !echo hello", "command"],
    ["!!really a task", "delegate"],
    ["a task", "delegate"],
  ])("is told to guards by what it does: %s is %s", async (input, effect) => {
    const guard = recordingInterceptor("guard");
    await runSpawn(input, { interceptors: [guard] });
    expect(guard.asked[0]!.request.effect).toBe(effect);
  });

  // S5
  test("starts without the host's own environment", async () => {
    const { result } = await runSpawn("!env");
    expect(result.value).toContain("PATH=");
    expect(result.value).not.toContain("BASIS_TEST_CANARY");
  });
});
