import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordingInterceptor } from "@basis/hooks/testing";
import { expect, onTestFinished, test } from "vitest";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls } from "../harness/test-host.ts";
import { callsOf, hostWith, notesOf, offered, resultsIn } from "./support/mcp-host.ts";
import { ownMark } from "../../src/tools/lineage-mark.ts";

function logFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "basis-mcp-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "log");
}

// S19
test("a guard sees a server's call with its source, before and after it", async () => {
  const guard = recordingInterceptor("guard");
  const host = await hostWith({}, { agents: callsOf("echo"), interceptors: [guard] });
  await resultsIn(host);
  expect(guard.asked[0]!.request).toMatchObject({ toolName: "mcp__s__echo", toolSource: "mcp:s" });
  expect(guard.asked[0]!.request.effect).toBeUndefined();
});

// S19
test.each(["command", "write", "read"] as const)(
  "a guard of the effect %s is asked about a server's call, since nobody can tell its effect",
  async (effect) => {
    const host = await hostWith(
      {},
      {
        agents: callsOf("echo"),
        interceptors: [
          { name: "no", effect: [effect], intercept: () => ({ decision: "deny", reason: "not here" }) },
        ],
      },
    );
    expect(await resultsIn(host)).toMatchObject([{ value: expect.stringContaining("not here") }]);
  },
);

test("a guard's denial keeps a call from the server", async () => {
  const log = logFile();
  const host = await hostWith(
    { log },
    {
      agents: callsOf("echo"),
      interceptors: [
        { name: "no", tools: ["mcp__s__*"], intercept: () => ({ decision: "deny", reason: "not here" }) },
      ],
    },
  );
  expect(await resultsIn(host)).toMatchObject([
    { type: "error-text", value: expect.stringContaining("not here") },
  ]);
  expect(notesOf(log)).not.toContain("called echo");
});

test("an approver's denial keeps a call from the server", async () => {
  const log = logFile();
  const approver = new RecordingApprover({ decision: "deny", reason: "no" });
  const host = await hostWith({ log }, { agents: callsOf("echo"), approver });
  expect(await resultsIn(host)).toMatchObject([{ type: "error-text" }]);
  expect(notesOf(log)).not.toContain("called echo");
});

test("what a guard makes of a call is what the server gets", async () => {
  const host = await hostWith(
    {},
    {
      agents: callsOf("echo"),
      interceptors: [{ name: "writer", intercept: () => ({ decision: "modify", input: { by: "guard" } }) }],
    },
  );
  expect(await resultsIn(host)).toEqual([{ type: "text", value: 'echo {"by":"guard"}' }]);
});

// S19
test.each([
  [
    "readOnlyHint",
    { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  ],
  ["destructiveHint", { destructiveHint: true }],
  ["nothing", {}],
])("a server that says %s is asked about as the furthest reaching", async (_what, annotations) => {
  const host = await hostWith({ tools: [offered("echo", { annotations })] }, { agents: callsOf("echo") });
  await resultsIn(host);
  expect(host.approver.asked).toMatchObject([{ sideEffectLevel: "external" }]);
});

// S5
test("a server gets the baseline environment, what its entry says, and nothing of the host's", async () => {
  const host = await hostWith(
    { tools: [offered("env")] },
    {
      agents: callsOf("env"),
      env: { GRANTED: "granted", ANTHROPIC_API_KEY: "sk-canary", OTHER: "canary" },
      entry: { env: { OWN: "own ${GRANTED}", PATH: `.:node_modules/.bin:${process.env["PATH"]}` } },
    },
  );
  const [result] = await resultsIn(host);
  const env = JSON.parse(String(result!.value)) as Record<string, string>;
  expect(env).toMatchObject({ OWN: "own granted", BASIS_LINEAGE: ownMark });
  expect(JSON.stringify(env)).not.toContain("canary");
  expect(env["PATH"]!.split(":").every((entry) => entry.startsWith("/"))).toBe(true);
});

test("a variable that is not set leaves its server out, and says which", async () => {
  const host = await hostWith({}, { entry: { env: { TOKEN: "${NOT_THERE}" } } });
  expect(host.facts.servers.status()).toMatchObject([{ state: "failed", reason: "NOT_THERE is not set" }]);
});

test("a server runs in the directory that its entry names", async () => {
  const host = await hostWith(
    { tools: [offered("cwd")] },
    { agents: callsOf("cwd"), entry: { cwd: "sub" }, files: { "sub/a.txt": "" } },
  );
  expect(await resultsIn(host)).toMatchObject([{ value: join(host.root, "sub") }]);
});

test("a child calls a server's tool under the same guards and approvals", async () => {
  const guard = recordingInterceptor("guard");
  const host = await hostWith(
    { tools: [offered("echo")] },
    {
      interceptors: [guard],
      agents: {
        main: [calls({ name: "spawn", input: { input: "say it" } }), { text: "done" }],
        child: [calls({ name: "mcp__s__echo", input: {} }), { text: "said" }],
      },
    },
  );
  expect((await host.run("go")).outcome).toBe("completed");
  const requests = guard.asked.map(({ request }) => request);
  expect(requests).toContainEqual(expect.objectContaining({ toolName: "mcp__s__echo", depth: 1 }));
  expect(host.approver.asked.map(({ toolName }) => toolName)).toEqual(["spawn", "mcp__s__echo"]);
});
