import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { isAlive, until } from "../process/process-watch.ts";
import { pidsOf, workerHook } from "./worker-program.ts";
import { makeFixture, type Fixture } from "./workspace-fixture.ts";

const entry = new URL("../../dist/node/index.js", import.meta.url).href;

/** Runs a host in a process of its own; the code sees `hooks`, `call(input)` and `hasStarted()`. */
async function runHost({ workspace }: Fixture, spec: object, code: string) {
  const program = `
    import { existsSync } from "node:fs";
    import { openHooks } from ${JSON.stringify(entry)};
    const workspace = ${JSON.stringify(workspace)};
    const hooks = await openHooks({ workspace, specs: [${JSON.stringify(spec)}], discovery: false, report() {} });
    const call = (input) => ({ agentId: "a", toolName: "t", toolCallId: "c", inputJson: JSON.stringify(input) });
    const hasStarted = () => existsSync(workspace + "/pids");
    ${code}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [exitCode]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { said: said.trim(), exitCode };
}

const isGone = async (fixture: Fixture) => {
  const pids = await pidsOf(fixture);
  return pids.length > 0 && until(() => !pids.some(isAlive));
};
const exitOnceStarted = `hooks.beforeCall(call({}));
  setInterval(() => hasStarted() && setTimeout(() => process.exit(0), 100), 20);`;
const allowOrCrash = `if (request.input.crash) process.exit(1); answer({ decision: "allow" });`;

describe("a host that exits while a hook runs", () => {
  it.each(["process", "worker"])("takes the hook's processes along, in mode %s", async (mode) => {
    const fixture = await makeFixture();
    const command = ["/bin/sh", "-c", "trap '' TERM; echo $$ > pids; sleep 30"];
    await runHost(fixture, { name: "hook", command, mode, timeout_ms: 30_000 }, exitOnceStarted);
    expect(await isGone(fixture)).toBe(true);
  });
});

describe("a host that ends without closing its hooks", () => {
  it("is not kept alive by a worker that nobody asks, and takes it along", async () => {
    const fixture = await makeFixture();
    const code = `console.log((await hooks.beforeCall(call({}))).decision);`;
    const ended = await runHost(fixture, workerHook(allowOrCrash), code);
    expect(ended).toEqual({ said: "allow", exitCode: 0 });
    expect(await isGone(fixture)).toBe(true);
  });
});

describe("a host that is killed", () => {
  it("ends its workers' input, which is their end", async () => {
    // S40
    const fixture = await makeFixture();
    const code = `await hooks.beforeCall(call({})); process.kill(process.pid, "SIGKILL");`;
    const ended = await runHost(fixture, workerHook(allowOrCrash), code);
    expect(ended.exitCode).toBeNull();
    expect(await isGone(fixture)).toBe(true);
  });
});

describe("a host that has nothing else to do", () => {
  it("waits for an answer, also while a worker that crashed is left alone, and for the end of closing", async () => {
    const fixture = await makeFixture();
    const code = `
      for (const crash of [true, true, true, false]) {
        console.log((await hooks.beforeCall(call({ crash }))).decision);
      }
      await hooks.close();
      console.log("closed");`;
    const ended = await runHost(fixture, workerHook(allowOrCrash), code);
    expect(ended).toEqual({ said: "deny\ndeny\ndeny\nallow\nclosed", exitCode: 0 });
    expect(await isGone(fixture)).toBe(true);
  });
});
