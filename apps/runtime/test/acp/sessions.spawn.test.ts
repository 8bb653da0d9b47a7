import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { methods } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "../cli/support/bench.ts";
import { refused } from "../cli/support/refused.ts";
import { Editor, refusal } from "./support/editor.ts";

const program = fileURLToPath(new URL("../mcp/support/scripted-server.mjs", import.meta.url));

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const opens = (editor: Editor, cwd: string, more: object = {}): Promise<unknown> =>
  editor.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...more });

// S3, S4
describe("the folder of a session", () => {
  it("has to be trusted where it would run something, by 'basis trust' and by no message", async () => {
    const log = join(bench.base, "asked");
    bench.write(
      "guard.mjs",
      `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(log)}, "x"); process.stdin.resume(); console.log('{"decision":"deny","reason":"the guard says no"}');`,
    );
    const hooks = [{ name: "guard", command: ["node", "guard.mjs"] }];
    bench.write(".basis/hooks.json", JSON.stringify({ schema: 1, hooks }));
    const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
    const editor = new Editor(bench, ["--model", bench.script([read, { text: "over" }])]);
    await editor.initialize();
    const untrusted = await refusal(opens(editor, bench.workspace));
    expect(untrusted).toMatchObject({ code: -32050, data: { kind: "trust", workspace: bench.workspace } });
    expect(untrusted.message).toContain("'guard'");
    expect(untrusted.message).toContain(`run 'basis trust' in ${bench.workspace}`);
    expect(untrusted.message).not.toContain("--trust-");
    expect((await bench.run(["trust", "--yes"])).code).toBe(0);
    const { sessionId } = (await opens(editor, bench.workspace)) as { sessionId: string };
    expect(await editor.prompt(sessionId, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(readFileSync(log, "utf8")).not.toBe("");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({
      status: "failed",
      rawOutput: expect.stringContaining("the guard says no"),
    });
    bench.write("guard.mjs", "// nothing\n");
    expect(await refusal(opens(editor, bench.workspace))).toMatchObject({ data: { kind: "trust" } });
    expect(await editor.leave()).toBe(0);
  });

  it("is an absolute path of one folder outside the host's own; files that are wrong are named", async () => {
    const editor = new Editor(bench, ["--model", bench.script([{ text: "ok" }])]);
    await editor.initialize();
    for (const cwd of ["workspace", "", join(bench.base, "nothing"), join(bench.workspace, "README.md")])
      expect(await refusal(opens(editor, cwd))).toMatchObject({ code: -32602, data: { path: "cwd" } });
    expect(
      await refusal(opens(editor, bench.workspace, { additionalDirectories: [bench.base] })),
    ).toMatchObject({ code: -32602, data: { path: "additionalDirectories" } });
    // S29
    expect(await refusal(opens(editor, bench.base))).toMatchObject({
      code: -32050,
      message: expect.stringContaining("lies inside the workspace"),
    });
    bench.write(".mcp.json", '{"mcpServers": {"s": {}}}');
    expect(await refusal(opens(editor, bench.workspace))).toMatchObject({
      code: -32050,
      data: { kind: "workspace" },
      message: expect.stringContaining(".mcp.json:1"),
    });
    const other = join(bench.base, "other");
    mkdirSync(other);
    expect(await opens(editor, other)).toMatchObject({ sessionId: expect.any(String) });
    expect(await editor.leave()).toBe(0);
  });
});

// S5, S19
describe("an MCP server that the editor hands over", () => {
  const asked = (name: string, plan: object, more: object = {}) => ({
    mcpServers: [{ name, command: "node", args: [program, JSON.stringify(plan)], env: [], ...more }],
  });

  it("is started where the start allows it, gets no key, and is guarded: its calls are asked for", async () => {
    const tools = [{ name: "env", inputSchema: { type: "object" } }];
    const env = [{ name: "GIVEN", value: "by the editor" }];
    const call = { calls: [{ name: "mcp__s__env", input: {} }] };
    const editor = new Editor(
      bench,
      ["--client-servers", "--model", bench.script([call, { text: "over" }])],
      { ANTHROPIC_API_KEY: "canary-key" },
    );
    const log = join(bench.base, "log");
    const session = await editor.open(bench.workspace, asked("s", { tools, log }, { env }));
    expect(await editor.prompt(session, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(editor.asked).toMatchObject([
      { toolCall: { title: "mcp__s__env" }, _meta: { basis: { level: "external" } } },
    ]);
    const output = JSON.stringify(editor.of("tool_call_update").at(-1));
    expect(output).toContain("by the editor");
    expect(output).not.toContain("canary-key");
    const pid = Number(/started (\d+)/.exec(readFileSync(log, "utf8"))![1]);
    await editor.agent.request(methods.agent.session.close, { sessionId: session });
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    for (const [servers, told] of [
      [asked("s__t", {}), "mcpServers/0"],
      [{ mcpServers: [...asked("s", {}).mcpServers, ...asked("s", {}).mcpServers] }, "is taken"],
      [asked("s", {}, { env: [{ name: "KEY", value: "${ANTHROPIC_API_KEY}" }] }), "${NAME}"],
      [{ mcpServers: [{ type: "sse", name: "s", url: "http://localhost/", headers: [] }] }, "older protocol"],
    ] as const)
      expect(await refusal(opens(editor, bench.workspace, servers))).toMatchObject({
        code: -32602,
        message: expect.stringContaining(told),
      });
    // What cannot be reached is told, and keeps nothing else from working.
    const headers = [{ name: "X-Asked-By", value: "an editor" }];
    const far = { mcpServers: [{ type: "http", name: "far", url: "http://127.0.0.1:1/", headers }] };
    expect(await opens(editor, bench.workspace, far)).toMatchObject({ sessionId: expect.any(String) });
    const loose = { mcpServers: [{ name: "s", command: "sh", args: ["-c", `touch ${log}2`], env: [] }] };
    expect(await refusal(opens(editor, bench.workspace, loose))).toMatchObject({
      data: { kind: "unpinned_code" },
    });
    expect(existsSync(`${log}2`)).toBe(false);
    expect(await editor.leave()).toBe(0);
  });

  it("is refused where the start did not allow it, and is not started", async () => {
    const log = join(bench.base, "log");
    const editor = new Editor(bench, ["--model", bench.script([{ text: "ok" }])]);
    expect((await editor.initialize()).agentCapabilities.mcpCapabilities).toEqual({
      http: false,
      sse: false,
    });
    const no = await refusal(opens(editor, bench.workspace, asked("s", { log })));
    expect(no).toMatchObject({ code: -32050, data: { kind: "client_servers" } });
    expect(no.message).toContain("--client-servers");
    expect(existsSync(log)).toBe(false);
    expect(await editor.leave()).toBe(0);
  });
});

describe("session/fork", () => {
  it("is there with --acp-unstable: it forks at the end or a legal point, and refuses one that splits a call", async () => {
    const rounds = [
      { calls: [{ name: "read", input: { path: "README.md" } }] },
      { text: "one", when: { contains: "first" } },
      { text: "two" },
    ];
    const editor = new Editor(bench, ["--acp-unstable", "--model", bench.script(rounds)]);
    expect((await editor.initialize()).agentCapabilities.sessionCapabilities).toHaveProperty("fork");
    const session = await editor.open(bench.workspace);
    const fork = (more: object = {}): Promise<any> =>
      editor.agent.request("session/fork", {
        sessionId: session,
        cwd: bench.workspace,
        mcpServers: [],
        ...more,
      });
    expect(await refusal(fork())).toMatchObject({ code: -32002 });
    await editor.prompt(session, "first");
    // user, call, result, answer
    const split = await refusal(fork({ _meta: { basis: { at: 2 } } }));
    expect(split).toMatchObject({
      code: -32050,
      data: {
        kind: "fork_boundary",
        committed: false,
        structured_data: { reason: "split", nearest_before: 1, nearest_after: 3 },
      },
    });
    expect(await refusal(fork({ cwd: bench.base }))).toMatchObject({ data: { kind: "other_folder" } });
    expect(await refusal(fork({ _meta: { basis: { at: "nowhere" } } }))).toMatchObject({ code: -32602 });
    const { sessionId: forked, _meta } = await fork();
    expect(_meta.basis).toMatchObject({ message_count: 4 });
    expect(await editor.prompt(forked, "second")).toMatchObject({ stopReason: "end_turn" });
    const listed = await editor.agent.request(methods.agent.session.list, {});
    expect(listed.sessions.map(({ sessionId }) => sessionId)).toEqual([session, forked]);
    expect(await editor.leave()).toBe(0);
  });
});

describe("basis serve --acp", () => {
  // S6
  it("that an agent's program started asks nobody, and takes no option that grants", async () => {
    for (const options of [[], ["--approve=always"], ["--approve=never", "--client-servers"]])
      expect(await bench.run(["serve", "--acp", ...options], { env: { BASIS_LINEAGE: "1" } })).toEqual(
        expect.objectContaining(refused(5, "cannot grant authority")),
      );
    const write = { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] };
    const denies = new Editor(
      bench,
      ["--approve", "never", "--model", bench.script([write, { text: "over" }])],
      { BASIS_LINEAGE: "1" },
    );
    const session = await denies.open(bench.workspace);
    expect(await denies.prompt(session, "go")).toMatchObject({ stopReason: "end_turn" });
    expect(denies.asked).toEqual([]);
    expect(existsSync(join(bench.workspace, "new.txt"))).toBe(false);
    denies.child.kill("SIGTERM");
    expect(await denies.ended).toBe(130);
  });

  it("refuses what contradicts it", async () => {
    for (const [options, told] of [
      [["--acp", "--stdio"], "say how, by one of"],
      [["--acp", "--trust-workspace"], "run 'basis trust'"],
      [["--stdio", "--acp-unstable"], "--acp-unstable goes with --acp"],
      [["--stdio", "--approve", "ask"], "--approve ask goes with --acp"],
    ] as const)
      expect(await bench.run(["serve", ...options])).toEqual(expect.objectContaining(refused(2, told)));
    expect(await bench.run(["serve", "--acp"])).toEqual(expect.objectContaining(refused(5, "no model")));
  });
});
