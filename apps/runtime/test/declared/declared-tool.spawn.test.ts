import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { workspaceTrust } from "../../src/config/workspace-trust.ts";
import { openWorkspaceFacts } from "../../src/host/workspace.ts";
import { ownMark } from "../../src/tools/lineage-mark.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

const script = `const [, , ...words] = process.argv;
if (words[0] === "env") console.log(JSON.stringify(process.env));
else if (words[0] === "fail") { console.error("it went wrong"); process.exit(4); }
else if (words[0] === "hang") setInterval(() => undefined, 1000);
else console.log(JSON.stringify(words));
`;

function fileOf(...tools: readonly object[]): string {
  return JSON.stringify({ schema: 1, tools });
}

const say = {
  name: "say",
  description: "Says the words.",
  argv: ["node", "say.mjs", "{word}", "{more...}"],
  input: {
    properties: { word: { type: "string" }, more: { type: "array", items: { type: "string" } } },
    required: ["word"],
  },
};

function hostWith(
  input: object,
  options: TestHostOptions & { readonly tool?: object } = {},
): Promise<TestHost> {
  const { tool = {}, ...rest } = options;
  const files = { "say.mjs": script, ".basis/tools.json": fileOf({ ...say, ...tool }) };
  const agents = { main: [calls({ name: "say", input, id: "c1" }), { text: "done" }] };
  return openTestHost({ trust: "run", agents, ...rest, files: { ...files, ...rest.files } });
}

async function resultIn(host: TestHost): Promise<unknown> {
  const report = await host.run("go");
  return resultsOf(await host.transcript(report.transcript!.sessionId))["c1"];
}

test("a declared tool runs its program with the values in their words, without a shell", async () => {
  const host = await hostWith({ word: "$(id) ; `x`", more: ["a b", "*"] });
  expect(await resultIn(host)).toEqual({ type: "text", value: '["$(id) ; `x`","a b","*"]\n' });
});

test("what is asked about are the very words, as a program", async () => {
  const host = await hostWith({ word: "hello" });
  await resultIn(host);
  expect(host.approver.asked).toMatchObject([
    {
      toolName: "say",
      sideEffectLevel: "process",
      effect: "command",
      preview: { argv: ["node", "say.mjs", "hello"] },
    },
  ]);
});

test("a denial keeps it from running", async () => {
  const approver = new RecordingApprover({ decision: "deny", reason: "no" });
  const host = await hostWith({ word: "hello" }, { approver });
  expect(await resultIn(host)).toMatchObject({ type: "error-text", value: expect.stringContaining("no") });
  expect(host.events.types()).not.toContain("tool_started");
});

// S19
test("a guard of commands sees it", async () => {
  const seen: unknown[] = [];
  const host = await hostWith(
    { word: "hello" },
    {
      interceptors: [
        {
          name: "no-commands",
          effect: ["command"],
          intercept: ({ effect, toolSource }) => {
            seen.push({ effect, toolSource });
            return { decision: "deny", reason: "no commands" };
          },
        },
      ],
    },
  );
  expect(await resultIn(host)).toMatchObject({ type: "error-text" });
  expect(seen).toEqual([{ effect: "command", toolSource: "declared" }]);
});

test.each([
  ["a missing value", {}, "missing property"],
  ["a value of another type", { word: 1 }, "/word: expected string"],
  ["a value that nobody declared", { word: "a", other: 1 }, "unknown property"],
  ["a value that would be an option", { word: "--eval=x" }, "would be read as an option"],
])("%s is refused before anybody is asked", async (_what, input, message) => {
  const host = await hostWith(input);
  expect(await resultIn(host)).toMatchObject({ type: "error-text", value: expect.stringContaining(message) });
  expect(host.approver.asked).toEqual([]);
});

test("a program that fails answers its errors and status", async () => {
  expect(await resultIn(await hostWith({ word: "fail" }))).toEqual({
    type: "error-text",
    value: "it went wrong\n[Command exited with status 4]",
  });
});

test("a program that takes too long is ended", async () => {
  const host = await hostWith({ word: "hang" }, { tool: { timeout_ms: 300 } });
  expect(await resultIn(host)).toMatchObject({ value: "'say' did not answer within 300ms and was stopped" });
});

// S5
test("it gets the baseline environment and the variables that it names", async () => {
  const host = await hostWith(
    { word: "env" },
    { env: { MINE: "mine", OTHER: "canary" }, tool: { env: ["MINE"] } },
  );
  const { value } = (await resultIn(host)) as { value: string };
  expect(JSON.parse(value)).toMatchObject({
    MINE: "mine",
    BASIS_LINEAGE: expect.stringContaining(`${ownMark}-`) as string,
  });
  expect(value).not.toContain("canary");
});

// S10
test("an approval is of the scripts' content too", async () => {
  const approver = new RecordingApprover(() => {
    writeFileSync(join(host.root, "say.mjs"), "console.log('swapped')");
    return { decision: "allow" };
  });
  const host = await hostWith({ word: "hello" }, { approver });
  expect(await resultIn(host)).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("denied"),
  });
});

// S9
test("a script that is no longer what was trusted is not run", async () => {
  const host = await hostWith({ word: "hello" });
  const env = { PATH: process.env["PATH"] };
  const { signal } = new AbortController();
  const start = { dataDir: host.dataDir, env, trustUnpinned: false, ephemeral: false, signal };
  mkdirSync(join(dirname(host.root), "other"), { recursive: true });
  const facts = await openWorkspaceFacts({
    directory: host.root,
    configDir: join(dirname(host.root), "config"),
    env,
    ...workspaceTrust({ ...start, trustWorkspace: true }),
    report: () => undefined,
  });
  const tool = facts.tools.get("say")!;
  const context = { signal, progress: () => undefined };
  expect(await tool.execute({ word: "a" }, context)).toEqual({ output: '["a"]\n', isError: false });
  writeFileSync(join(host.root, "say.mjs"), "console.log('swapped')");
  await expect(tool.execute({ word: "a" }, context)).rejects.toThrow("is not what was trusted any more");
  await facts.close();
});
