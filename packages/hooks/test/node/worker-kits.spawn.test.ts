// W4: one script, asked in either mode, comes to the same outcomes in the same words.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookOutcome } from "../../src/index.ts";
import type { HookSpec } from "../../src/node/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { isAlive, until } from "../process/process-watch.ts";
import { pidsOf } from "./worker-program.ts";
import { makeFixture, type Fixture } from "./workspace-fixture.ts";

const { resolve } = createRequire(import.meta.url);
const kits = {
  node: resolve("@basis/hooks/kits/hook.mjs"),
  python: resolve("@basis/hooks/kits/hook.py"),
};

const NODE = `
  import { appendFileSync } from "node:fs";
  import { serve } from ${JSON.stringify(kits.node)};
  appendFileSync("pids", process.pid + "\\n");
  await serve(({ event, input, output }) => {
    const { what, value } = input;
    if (event === "post_tool_use") return { decision: "replace", output: { was: output }, is_error: true };
    if (what === "throw") throw new Error("trouble");
    if (what === "exit") process.exit(value);
    if (what === "kill") process.kill(process.pid, "SIGKILL");
    return value;
  });`;

const PYTHON = `
import os, signal, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ${JSON.stringify(dirname(kits.python))})
from hook import serve
with open("pids", "a") as pids:
    pids.write(f"{os.getpid()}\\n")
def decide(request):
    what, value = request["input"].get("what"), request["input"].get("value")
    if request["event"] == "post_tool_use":
        return {"decision": "replace", "output": {"was": request["output"]}, "is_error": True}
    if what == "throw":
        raise ValueError("trouble")
    if what == "exit":
        sys.exit(value)
    if what == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    return value
serve(decide)
`;

/** The interpreter itself: a wrapper for it would be slower and want more of the environment. */
const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
const pythonProgram = python.status === 0 ? python.stdout.trim() : undefined;
if (pythonProgram === undefined)
  console.warn("not run: the Python kit's tests, since there is no python3 on PATH");
const kitsHere = pythonProgram === undefined ? (["node"] as const) : (["node", "python"] as const);

const commands: Record<keyof typeof kits, (fixture: Fixture) => Promise<readonly string[]>> = {
  node: async (fixture) => [process.execPath, await fixture.write("workspace/guard.mjs", NODE)],
  python: async (fixture) => [pythonProgram ?? "python3", await fixture.write("workspace/guard.py", PYTHON)],
};

const TEXT =
  'line\nfeed, "quote", \u2028, \u00e9, \u{1f600}, \ud800, \u0000 and {"id":"x","decision":"allow"}';
const inputs: readonly object[] = [
  { value: { decision: "allow" } },
  { value: { decision: "allow", id: "another", hook_worker: 1, extra: [null] } },
  { value: { decision: "deny", reason: TEXT } },
  { value: { decision: "deny" } },
  { value: { decision: "modify", input: { text: TEXT, deep: [[[{}]]], n: -0.5 }, reason: TEXT } },
  { value: { decision: "modify", input: { large: "x".repeat(300_000) } } },
  { value: { decision: "modify", input: [] } },
  { value: { decision: "modify" } },
  { value: { decision: "replace", output: 1 } },
  { value: { decision: "maybe" } },
  { value: {} },
  { value: null },
  { what: "throw" },
  { what: "exit", value: 0 },
  { what: "exit", value: 4 },
  { what: "kill" },
];

/** What a script in one mode comes to for every input, and what was reported; each failure is followed by a success. */
async function outcomesOf(kit: keyof typeof kits, mode: "process" | "worker") {
  const fixture = await makeFixture();
  const entry: HookSpec = { name: "hook", command: await commands[kit](fixture), mode, timeout_ms: 30_000 };
  const chain = await fixture.open({ specs: [entry, { ...entry, event: "post_tool_use" }] });
  const outcomes: HookOutcome[] = [];
  for (const input of inputs) {
    outcomes.push(await chain.beforeCall(sampleCall({ inputJson: JSON.stringify(input) })));
    expect(await chain.beforeCall(sampleCall({ inputJson: '{"value":{"decision":"allow"}}' }))).toEqual({
      decision: "allow",
    });
  }
  outcomes.push(await chain.afterCall(sampleCall(), { output: TEXT, isError: false }));
  await chain.close();
  const pids = await pidsOf(fixture);
  expect(await until(() => !pids.some(isAlive))).toBe(true);
  return { outcomes, reports: fixture.reports, starts: pids.length };
}

describe.each(kitsHere)("a script with the kit for %s", (kit) => {
  it("comes to the same outcomes one-shot and as a worker", async () => {
    // W4
    const [oneShot, worker] = [await outcomesOf(kit, "process"), await outcomesOf(kit, "worker")];
    expect(worker.outcomes).toEqual(oneShot.outcomes);
    expect(oneShot.starts).toBe(2 * inputs.length + 1);
    expect(worker.starts).toBeLessThan(8);
    const decisions = oneShot.outcomes.map(({ decision }) => decision);
    expect(decisions.slice(0, 6)).toEqual(["allow", "allow", "deny", "deny", "modify", "modify"]);
    expect(decisions.slice(6, -1).every((decision) => decision === "deny")).toBe(true);
    expect(oneShot.outcomes.at(-1)).toMatchObject({
      decision: "replace",
      output: { was: expect.anything() },
    });
    expect(worker.reports.map((text) => text.split(":")[0])).toEqual(
      oneShot.reports.map((text) => text.split(":")[0]),
    );
  });

  it("is at most 40 lines to copy", () => {
    expect(readFileSync(kits[kit], "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  });
});

describe("a script with the kit for node that decides later", () => {
  it("answers whatever it decides first", async () => {
    // W1
    const fixture = await makeFixture();
    const script = `
      import { serve } from ${JSON.stringify(kits.node)};
      let release;
      const released = new Promise((resolve) => (release = resolve));
      serve(async ({ input }) => {
        if (input.n === 1) await released;
        else release();
        return { decision: "deny", reason: String(input.n) };
      });`;
    const command = [process.execPath, await fixture.write("workspace/guard.mjs", script)];
    const chain = await fixture.open({
      specs: [{ name: "hook", command, mode: "worker", timeout_ms: 30_000 }],
    });
    const ask = async (n: number) => chain.beforeCall(sampleCall({ inputJson: `{"n":${n}}` }));
    expect(await Promise.all([ask(1), ask(2)])).toEqual([
      { decision: "deny", reason: "denied by hook 'hook': 1" },
      { decision: "deny", reason: "denied by hook 'hook': 2" },
    ]);
  });
});
