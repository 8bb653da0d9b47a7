import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isAlive, until, untilGone } from "../crash/support/processes.ts";
import { mcpFile, notesOf, offered, processesOf } from "../mcp/support/mcp-host.ts";
import { Bench } from "./support/bench.ts";

let bench: Bench;
let log: string;
beforeEach(() => {
  bench = new Bench();
  log = join(bench.base, "log");
});
afterEach(() => bench.remove());

const trusting = ["--trust-workspace", "--approve", "always"];
const calling = (name: string, input: object = {}): string =>
  bench.script([{ calls: [{ name, input: input as never }] }, { text: "that was it" }]);
const declare = (more: object = {}): string =>
  JSON.stringify({
    schema: 1,
    tools: [{ name: "hello", description: "Says hello.", argv: ["echo", "hello"], ...more }],
  });

describe("the servers of a folder", () => {
  beforeEach(() => {
    bench.write(".mcp.json", mcpFile({ s: { log } }));
  });

  // S4
  it("are not started before they are trusted: 5, naming the file, the server and the flag", async () => {
    const ended = await bench.run(["run", "go", "--model", calling("mcp__s__echo")]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain(`${join(bench.workspace, ".mcp.json")} is not trusted`);
    expect(ended.stderr).toContain("'s'");
    expect(ended.stderr).toContain("--trust-workspace");
    expect(notesOf(log)).toEqual([]);
  });

  it("answer once they are trusted, stay trusted, and are gone when the run is", async () => {
    const model = calling("mcp__s__echo", { a: 1 });
    const first = await bench.run(["run", "go", "--json", ...trusting, "--model", model]);
    expect(first.code).toBe(0);
    expect(first.event("mcp_server").data).toMatchObject({
      server: "s",
      state: "ready",
      tools: ["mcp__s__echo"],
    });
    expect(first.event("tool_completed").data).toMatchObject({ output: 'echo {"a":1}', is_error: false });
    expect((await bench.run(["run", "go", "--approve", "always", "--model", model])).code).toBe(0);
    expect(processesOf(log)).toHaveLength(2);
    expect(processesOf(log).filter(isAlive)).toEqual([]);
  });

  it("refuse once anything of them has changed: 5, saying what", async () => {
    await bench.run(["run", "go", ...trusting, "--model", calling("mcp__s__echo")]);
    bench.write(".mcp.json", mcpFile({ s: { log, other: true } }));
    const ended = await bench.run(["run", "go", "--model", calling("mcp__s__echo")]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain("MCP server 's': 'args' changed");
    expect(processesOf(log)).toHaveLength(1);
  });

  it("that fail are told, and the run goes on", async () => {
    bench.write(".mcp.json", mcpFile({ s: { dieAtStart: true, stderr: "no licence" } }));
    const ended = await bench.run([
      "run",
      "go",
      ...trusting,
      "--model",
      bench.script([{ text: "without it" }]),
    ]);
    expect(ended).toMatchObject({ code: 0, stdout: "without it\n" });
    expect(ended.stderr).toMatch(/MCP server 's': failed \(.*no licence/);
  });

  it("are not started for a file that is wrong elsewhere: 5, naming both lines", async () => {
    bench.write(".basis/tools.json", '{"schema": 1,\n"tools": [{"name": "read"}]}');
    bench.write(".mcp.json", '{"mcpServers": {\n"a": {"command": 1}}}');
    const ended = await bench.run(["run", "go", ...trusting, "--model", calling("mcp__s__echo")]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain(".mcp.json:2: /mcpServers/a/command: must be a string");
    expect(ended.stderr).toContain('.basis/tools.json:2: /tools/0: "description" is missing');
  });

  // S40
  it("die with a host that is killed, whatever they ignore", async () => {
    bench.write(".mcp.json", mcpFile({ s: { log, ignoreEnd: true, child: true, tools: [offered("hang")] } }));
    const running = bench.start(["run", "go", ...trusting, "--model", calling("mcp__s__hang")]);
    await until("called", () => notesOf(log).includes("called hang"));
    expect(processesOf(log).filter(isAlive)).toHaveLength(2);
    running.kill("SIGKILL");
    await running.ended;
    await untilGone(processesOf(log));
  });
});

describe("basis inspect", () => {
  const view = async (...more: readonly string[]): Promise<Record<string, readonly object[]>> =>
    JSON.parse((await bench.run(["inspect", "--json", ...more])).stdout) as Record<string, readonly object[]>;
  beforeEach(() => {
    bench.write(
      ".mcp.json",
      mcpFile({ s: { log, tools: [offered("echo", { annotations: { readOnlyHint: true } })] } }),
    );
    bench.write(".basis/tools.json", declare());
  });

  it("names what nobody has trusted, and starts nothing", async () => {
    const shown = await view("--servers");
    expect(shown["mcp_servers"]).toMatchObject([
      { server: "s", from: ".mcp.json", state: "untrusted", tools: [] },
    ]);
    expect(shown["notes"]).toHaveLength(2);
    expect(notesOf(log)).toEqual([]);
  });

  it("shows what is trusted, and starts servers only when it is told to", async () => {
    await bench.run(["run", "go", "--trust-workspace", "--model", bench.script([{ text: "yes" }])]);
    const started = processesOf(log).length;
    const idle = await view();
    expect(idle["mcp_servers"]).toMatchObject([
      { state: "idle", reached_by: expect.stringContaining("node ") },
    ]);
    expect(idle["tools"]).toContainEqual({
      name: "hello",
      level: "process",
      effect: "command",
      source: "declared",
      from: ".basis/tools.json",
      claims: [],
    });
    expect(processesOf(log)).toHaveLength(started);
    const ready = await view("--servers");
    expect(ready["mcp_servers"]).toMatchObject([{ state: "ready", tools: ["mcp__s__echo"] }]);
    expect(ready["tools"]).toContainEqual({
      name: "mcp__s__echo",
      level: "external",
      effect: "unknown",
      source: "mcp:s",
      from: ".mcp.json",
      claims: ["only reads"],
    });
    expect((await bench.run(["inspect", "--servers"])).stdout).toContain("it says: only reads");
    expect(processesOf(log).filter(isAlive)).toEqual([]);
  });
});

describe("the tools that a folder declares", () => {
  it("run once they are trusted, and are asked about", async () => {
    bench.write(".basis/tools.json", declare());
    const unpinned = await bench.run(["run", "go", "--model", calling("hello")]);
    expect(unpinned).toMatchObject({ code: 5, stderr: expect.stringContaining("tools.json is not trusted") });
    const ended = await bench.run(["run", "go", "--json", ...trusting, "--model", calling("hello")]);
    expect(ended.event("permission_requested").data).toMatchObject({
      level: "process",
      preview: { argv: ["echo", "hello"] },
    });
    expect(ended.event("tool_completed").data).toMatchObject({ output: "hello\n", is_error: false });
    const never = await bench.run(["run", "go", "--json", "--approve", "never", "--model", calling("hello")]);
    expect(never.event("tool_completed").data).toMatchObject({ is_error: true });
  });
});
