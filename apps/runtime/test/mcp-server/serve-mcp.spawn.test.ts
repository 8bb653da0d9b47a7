import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { entry } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";
import { refused } from "../cli/support/refused.ts";
import { tokenOptions } from "../cli/support/waiting.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

/** The SDK's client at a server that was built and started. */
async function connect(argv: readonly string[]) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, "serve", "--mcp", ...argv],
    cwd: bench.workspace,
    env: bench.env() as Record<string, string>,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, input: object = {}): Promise<any> =>
    client.callTool({ name, arguments: input as Record<string, unknown> });
  return { client, call };
}

/** A server and lines that are written by hand. */
function raw(argv: readonly string[]) {
  const child = spawn(process.execPath, [entry, "serve", "--mcp", ...argv], {
    cwd: bench.workspace,
    env: bench.env(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: any[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const wake of waiting) wake();
    waiting.clear();
  });
  const until = async (isFound: (line: any) => boolean): Promise<any> => {
    for (;;) {
      const found = lines.find(isFound);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  const write = (text: string): void => void child.stdin.write(`${text}\n`);
  const send = (message: object): void => write(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  send({ id: 0, method: "initialize", params: hello });
  send({ method: "notifications/initialized" });
  return { child, lines, until, write, send, ended };
}

const write = { calls: [{ name: "write", input: { path: "note.txt", content: "hello" } }] };

describe("basis serve --mcp", () => {
  it("offers run, fork and sessions: a turn that waits goes on once a person allowed it, and is forked", async () => {
    const { client, call } = await connect(["--model", bench.script([write, { text: "written" }])]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["run", "fork", "sessions"]);
    // Some models refuse a definition that leads elsewhere, and with it all tools of a client.
    expect(JSON.stringify(tools)).not.toMatch(/\$(?:ref|defs)/);
    for (const { inputSchema } of tools)
      for (const parameter of Object.values(inputSchema.properties ?? {}))
        expect(parameter).toHaveProperty("description");
    const parked = await call("run", { prompt: "go", member: "writer" });
    expect(parked).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("waits for approval") }],
      structuredContent: { status: "parked", member: "writer" },
    });
    const id = parked.structuredContent.approval_id as string;
    expect(existsSync(join(bench.workspace, "note.txt"))).toBe(false);
    const token = bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600);
    expect(await bench.run(["approvals", "allow", id, "--token-file", token])).toMatchObject({ code: 0 });
    expect(await call("run", { session: "writer" })).toMatchObject({
      content: [{ text: "written" }],
      structuredContent: { status: "completed" },
    });
    expect(await call("fork", { session: "writer", at: 2 })).toMatchObject({
      isError: true,
      structuredContent: { error: { kind: "fork_boundary", structured_data: { nearest_before: 1 } } },
    });
    expect(await call("fork", { session: "writer", name: "second" })).toMatchObject({
      structuredContent: { member_alias: "second", message_count: 4 },
    });
    expect(await call("sessions")).toMatchObject({
      structuredContent: { sessions: [{ member: "writer" }, { member: "second" }], next: null },
    });
    for (const [name, input] of [
      ["run", {}],
      ["run", { prompt: "x", approve: "always" }],
      ["fork", { session: "nobody" }],
      ["run", { prompt: "x", session: "nobody" }],
    ] as const)
      expect(await call(name, input).catch(() => ({ isError: true }))).toMatchObject({ isError: true });
    await expect(call("approvals")).rejects.toThrow("approvals");
  });

  it("answers bad lines and goes on; a call that is taken back stops its turn and its program", async () => {
    const pid = join(bench.workspace, "pid");
    const argv = ["sh", "-c", `echo $$ > ${pid}; exec sleep 300`];
    const model = bench.script([{ calls: [{ name: "run", input: { argv } }] }, { text: "on" }]);
    const server = raw(["--model", model, "--allow-run", "--approve", "always"]);
    await server.until(({ id }) => id === 0);
    server.write("{nope}");
    server.write("[]");
    server.write(`"${"x".repeat(5 * 1024 * 1024)}"`);
    server.send({ id: null, method: "tools/list" });
    server.send({ id: 1, method: "nope" });
    expect(await server.until(({ id }) => id === 1)).toMatchObject({ error: { code: -32601 } });
    expect(server.lines.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([
      -32700, -32600, -32700, -32600,
    ]);
    const call = { name: "run", arguments: { prompt: "go", member: "runner" } };
    server.send({ id: 2, method: "tools/call", params: call });
    while (!existsSync(pid) || readFileSync(pid, "utf8") === "")
      await new Promise((go) => setTimeout(go, 20));
    server.send({ method: "notifications/cancelled", params: { requestId: 2 } });
    const isRunning = (): boolean => {
      try {
        return process.kill(Number(readFileSync(pid, "utf8")), 0);
      } catch {
        return false;
      }
    };
    while (isRunning()) await new Promise((go) => setTimeout(go, 20));
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.lines.some(({ id }) => id === 2)).toBe(false);
  });

  // S6
  it("that an agent's program started takes no option that grants", async () => {
    const ended = await bench.run(["serve", "--mcp", "--approve", "always"], { env: { BASIS_LINEAGE: "1" } });
    expect(ended).toEqual(expect.objectContaining(refused(5, "cannot grant authority")));
  });

  it("leaves its turns to workers with --queue: values, failures and what waits are answered as its own, images shown", async () => {
    const rounds = [
      [
        {
          when: { contains: "a file" },
          calls: [{ name: "write", input: { path: "queued.txt", content: "hi" } }],
        },
        { when: { contains: "a value" }, terminal: '{"n":7}' },
        { when: { contains: "see" }, text: "a dot" },
      ],
      [{ text: "written" }],
    ];
    const worker = bench.start(["worker", "--approve", "park", "--model", bench.script(rounds)]);
    onTestFinished(() => worker.kill("SIGKILL"));
    const { call } = await connect(["--queue"]);
    await worker.saw("serves");
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const [typed, parked, failed, seen] = await Promise.all([
      call("run", { prompt: "a value", output: { schema } }),
      call("run", { prompt: "a file" }),
      call("run", { prompt: "nothing of the script" }),
      call("run", { prompt: "see", images: [{ data: "R0lGODlhAQABAAAAACw=" }] }),
    ]);
    expect(typed.structuredContent).toMatchObject({ status: "completed", output: { value: { n: 7 } } });
    expect(failed.structuredContent).toMatchObject({ status: "failed", error: expect.stringMatching(/./) });
    expect(seen.structuredContent).toMatchObject({ status: "completed", text: "a dot" });
    const { status, session, approval_id: approval } = parked.structuredContent;
    expect(status).toBe("parked");
    const allow = ["approvals", "allow", approval, ...tokenOptions(bench)];
    expect(await bench.run(allow)).toMatchObject({ code: 0 });
    const { structuredContent } = await call("run", { session });
    expect(structuredContent).toMatchObject({ status: "completed", text: "written" });
    for (const { run } of [typed, parked, failed].map((each) => each.structuredContent))
      await worker.saw(`turn ${run} of session`);
  });
});
