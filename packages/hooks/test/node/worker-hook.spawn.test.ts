import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleCall } from "../../src/testing/index.ts";
import { isAlive, openDescriptors, until } from "../process/process-watch.ts";
import { pidsOf, workerHook as worker } from "./worker-program.ts";
import { makeFixture } from "./workspace-fixture.ts";

const input = (value: unknown, toolCallId = "call") =>
  sampleCall({ toolCallId, inputJson: JSON.stringify(value) });
const ALLOW = { decision: "allow" };
const failed = (words: string) => ({
  decision: "deny",
  reason: `hook 'hook' could not answer and denies on failure: ${words}`,
});

describe("a worker hook", () => {
  it("is one process for every question, and may answer them in any order", async () => {
    // W1
    const fixture = await makeFixture();
    const on = `seen.push(() => answer({ decision: "deny", reason: String(request.input.n) }));
      if (seen.length === 5) for (const say of seen.reverse()) say();`;
    const chain = await fixture.open({ specs: [worker(on)] });
    expect(await pidsOf(fixture)).toEqual([]);
    const ask = async (n: number) => chain.beforeCall(input({ n }, `c${n}`));
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(ask));
    expect(outcomes).toEqual(
      [1, 2, 3, 4, 5].map((n) => ({ decision: "deny", reason: `denied by hook 'hook': ${n}` })),
    );
    expect(await pidsOf(fixture)).toHaveLength(1);
  });

  it("answers both events with one process where two entries name the same program", async () => {
    const fixture = await makeFixture();
    const on = `answer(request.event === "pre_tool_use"
      ? { decision: "modify", input: { pid: process.pid } }
      : { decision: "replace", output: process.pid, is_error: !request.is_error });`;
    const specs = [worker(on), worker(on, { event: "post_tool_use" })];
    const chain = await fixture.open({ specs });
    const before = await chain.beforeCall(sampleCall());
    const after = await chain.afterCall(sampleCall(), { output: "x", isError: false });
    const [pid, ...others] = await pidsOf(fixture);
    expect(before).toMatchObject({ decision: "modify", input: { pid } });
    expect(after).toMatchObject({ decision: "replace", output: pid, isError: true });
    expect(others).toEqual([]);
  });

  it("does not share its process with a program of another rank", async () => {
    const fixture = await makeFixture();
    const entry = worker(`answer({ decision: "allow" });`);
    await fixture.ownHooks(entry);
    const chain = await fixture.open({ specs: [entry], trust: "run" });
    expect(await chain.beforeCall(sampleCall())).toEqual(ALLOW);
    expect(new Set(await pidsOf(fixture)).size).toBe(2);
  });

  it("runs in the workspace, with the baseline, what it was granted and how it was started", async () => {
    const fixture = await makeFixture();
    const on = `answer({ decision: "modify", input: { cwd: process.cwd(), env: process.env, ms: deadline_ms } });`;
    const env = { PATH: process.env["PATH"], SECRET: "s", CI: "1", BASIS_HOOK_MODE: "process" };
    const chain = await fixture.open({ specs: [worker(on, { env: ["CI"], timeout_ms: 15_000 })], env });
    const outcome = await chain.beforeCall(sampleCall());
    expect(outcome).toMatchObject({ input: { cwd: fixture.workspace } });
    const { input: told } = outcome as unknown as { input: { env: object; ms: number } };
    expect(Object.keys(told.env).toSorted()).toEqual(["BASIS_HOOK_MODE", "CI", "PATH", "SHLVL"]);
    expect(told.env).toMatchObject({ BASIS_HOOK_MODE: "worker" });
    expect(told.ms).toBeGreaterThan(0);
    expect(told.ms).toBeLessThanOrEqual(15_000);
  });

  it("fails closed when it crashes, quoting it to the reporter alone, and is restarted", async () => {
    // W2, S40
    const fixture = await makeFixture();
    const on = `if (request.input.crash) { console.error("secret trouble"); process.exit(3); }
      answer({ decision: "allow" });`;
    const chain = await fixture.open({ specs: [worker(on)] });
    expect(await chain.beforeCall(input({}))).toEqual(ALLOW);
    expect(await chain.beforeCall(input({ crash: true }))).toEqual(failed("exited with code 3"));
    expect(await chain.beforeCall(input({}))).toEqual(ALLOW);
    expect(fixture.reports).toEqual(["hook 'hook' exited with code 3 and said: secret trouble"]);
    expect(await pidsOf(fixture)).toHaveLength(2);
  });

  it("is killed with all it started at a deadline; an answer after that reaches nobody", async () => {
    // W3
    const fixture = await makeFixture();
    const on = `if (!request.input.late) return answer({ decision: "allow" });
      const { pid } = require("node:child_process").spawn("sleep", ["30"], { stdio: "inherit" });
      fs.appendFileSync("pids", pid + "\\n");
      process.on("SIGTERM", () => answer({ decision: "allow" }));`;
    const patient = worker(on, { tools: ["patient"], timeout_ms: 20_000 });
    const chain = await fixture.open({ specs: [patient, worker(on, { tools: ["run"], timeout_ms: 300 })] });
    const warm = () => chain.beforeCall({ ...input({}), toolName: "patient" });
    expect(await warm()).toEqual(ALLOW);
    const before = performance.now();
    expect(await chain.beforeCall({ ...input({ late: true }), toolName: "run" })).toEqual(
      failed("did not answer within 300ms and was killed"),
    );
    expect(performance.now() - before).toBeLessThan(10_000);
    const pids = await pidsOf(fixture);
    expect(pids).toHaveLength(2);
    expect(pids.some(isAlive)).toBe(false);
    expect(await warm()).toEqual(ALLOW);
  });

  it("cannot be started without its program, and says so as a one-shot hook does", async () => {
    const fixture = await makeFixture();
    const missing = { name: "hook", command: ["./missing"] };
    for (const mode of ["process", "worker"] as const) {
      const chain = await fixture.open({ specs: [{ ...missing, mode }] });
      expect(await chain.beforeCall(sampleCall())).toEqual(
        failed("could not be started: there is no such program"),
      );
    }
    const text = await fixture.write("workspace/guard", "#!/no/such/interpreter\n", 0o700);
    const chain = await fixture.open({ specs: [{ name: "hook", mode: "worker", command: [text] }] });
    expect(await chain.beforeCall(sampleCall())).toEqual(failed("could not be started"));
  });

  it("ends with its chain, whoever is being asked", async () => {
    // H72
    const fixture = await makeFixture();
    const chain = await fixture.open({ specs: [worker(`process.on("SIGTERM", () => {});`)] });
    const outcome = chain.beforeCall(sampleCall());
    expect(await until(async () => (await pidsOf(fixture)).length === 1)).toBe(true);
    await chain.close();
    expect(await outcome).toEqual(failed("was cut off because the turn was aborted"));
    expect((await pidsOf(fixture)).some(isAlive)).toBe(false);
  });

  it("that is a shell on a socket runs no start-up file of the user", async () => {
    const fixture = await makeFixture();
    await fixture.write("home/.bashrc", "echo started up");
    const script = `echo '{"hook_worker":1}'; while read -r line; do id="\${line#*:\\"}"; id="\${id%%\\"*}";
      echo "{\\"id\\":\\"$id\\",\\"decision\\":\\"allow\\"}"; done`;
    const chain = await fixture.open({
      specs: [{ name: "hook", mode: "worker", command: ["bash", "-c", script] }],
      env: { PATH: process.env["PATH"], HOME: join(fixture.root, "home") },
    });
    expect(await chain.beforeCall(sampleCall())).toEqual(ALLOW);
  });

  it("answers 10,000 questions with one process and nothing left over", async () => {
    // W5
    const fixture = await makeFixture();
    const on = `answer({ decision: "deny", reason: String(request.input.n) });`;
    const chain = await fixture.open({ specs: [worker(on)] });
    const ask = async (n: number) =>
      expect(await chain.beforeCall(input({ n }))).toEqual({
        decision: "deny",
        reason: `denied by hook 'hook': ${n}`,
      });
    const round = async (from: number, count: number) => {
      for (let n = from; n < from + count; n += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, at) => ask(n + at)));
      }
    };
    await round(0, 5000);
    const memory = async (pid: number) =>
      Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
    const [pid = 0] = await pidsOf(fixture);
    const before = { descriptors: openDescriptors(), listeners: process.listenerCount("exit") };
    const kilobytes = [await memory(process.pid), await memory(pid)] as const;
    await round(5000, 5000);
    expect(await pidsOf(fixture)).toEqual([pid]);
    expect({ descriptors: openDescriptors(), listeners: process.listenerCount("exit") }).toEqual(before);
    expect((await memory(process.pid)) - kilobytes[0]).toBeLessThan(64 * 1024);
    expect((await memory(pid)) - kilobytes[1]).toBeLessThan(64 * 1024);
  });
});
