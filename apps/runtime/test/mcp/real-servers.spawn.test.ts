import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { calls, openTestHost, resultsOf, type TestHost, type TestHostOptions } from "../harness/test-host.ts";

const require = createRequire(import.meta.url);
const entryOf = (name: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), "dist/index.js");
const everything = entryOf("@modelcontextprotocol/server-everything");
const filesystem = entryOf("@modelcontextprotocol/server-filesystem");

type Call = { readonly name: string; readonly input: object };

async function hostOf(
  servers: object,
  made: readonly Call[],
  files: TestHostOptions["files"] = {},
): Promise<TestHost> {
  const round = calls(...made.map((call, index) => ({ ...call, id: `c${index}` })));
  return openTestHost({
    trust: "run",
    env: { MCP_TOKEN: "a-token" },
    agents: { main: [round, { text: "done" }] },
    files: { ...files, ".mcp.json": JSON.stringify({ mcpServers: servers }) },
  });
}

async function run(host: TestHost): Promise<readonly Record<string, unknown>[]> {
  const report = await host.run("go");
  const results = resultsOf(await host.transcript(report.transcript!.sessionId));
  return Object.values(results) as Record<string, unknown>[];
}

const everyKind: readonly Call[] = [
  { name: "mcp__all__echo", input: { message: "hello" } },
  { name: "mcp__all__get-sum", input: { a: 2, b: 3 } },
  { name: "mcp__all__get-structured-content", input: { location: "Chicago" } },
  { name: "mcp__all__get-tiny-image", input: {} },
  { name: "mcp__all__get-resource-links", input: { count: 1 } },
  { name: "mcp__all__trigger-long-running-operation", input: { duration: 0.6, steps: 2 } },
  { name: "mcp__all__get-sum", input: { a: "two", b: 3 } },
];

const everyAnswer = [
  { type: "text", value: "Echo: hello" },
  { type: "text", value: "The sum of 2 and 3 is 5." },
  { type: "json", value: expect.objectContaining({ temperature: expect.any(Number) }) },
  {
    type: "content",
    value: [
      { type: "text", text: expect.stringMatching(/\[image image\/png, \d+ bytes\]/) },
      { type: "image-data", mediaType: "image/png", data: expect.stringMatching(/^blob:sha256:/) },
    ],
  },
  { type: "text", value: expect.stringMatching(/\[resource [a-z]+:\/\//) },
  { type: "text", value: expect.stringContaining("Long running operation completed") },
  { type: "error-text", value: expect.stringContaining("Invalid input") },
];

test("server-everything by its command: every kind of answer reaches the model, progress is told", async () => {
  const host = await hostOf({ all: { command: "node", args: [everything, "stdio"] } }, everyKind);
  expect(await run(host)).toEqual(everyAnswer);
  expect(host.events.data("tool_progress").map(({ text }) => text)).toContain("2 of 2");
});

test("server-everything by streamable HTTP answers the same", async () => {
  const port = await freePort();
  const server = spawn("node", [everything, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    server.kill("SIGKILL");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await vi.waitFor(() => fetch(url), 20_000);
  const headers = { Authorization: "Bearer ${MCP_TOKEN}" };
  const host = await hostOf({ all: { type: "http", url, headers } }, everyKind);
  expect(await run(host)).toEqual(everyAnswer);
  server.kill("SIGKILL");
  await once(server, "exit");
  const tool = host.facts.servers.tools().get("mcp__all__echo")!;
  const context = { signal: new AbortController().signal, progress: () => undefined };
  await expect(tool.execute({ message: "hello" }, context)).rejects.toThrow("was lost while the call ran");
  await expect(tool.execute({ message: "hello" }, context)).rejects.toThrow("is not connected");
  expect(host.facts.servers.status()).toMatchObject([{ state: "failed", tools: [] }]);
});

test("server-filesystem reads and writes in the workspace, which it learns as a root, and nowhere else", async () => {
  const made = [
    { name: "mcp__files__read_text_file", input: { path: "a.txt" } },
    { name: "mcp__files__write_file", input: { path: "b.txt", content: "new" } },
    { name: "mcp__files__read_text_file", input: { path: "/etc/passwd" } },
  ];
  const host = await hostOf({ files: { command: "node", args: [filesystem, "."] } }, made, {
    "a.txt": "old",
  });
  const [read, written, outside] = await run(host);
  expect(read).toEqual({ type: "text", value: "old" });
  expect(written).toMatchObject({ type: "text", value: expect.stringContaining("Successfully wrote") });
  expect(outside).toMatchObject({ type: "error-text", value: expect.stringContaining("Access denied") });
  expect(host.approver.asked.map(({ toolName }) => toolName)).toHaveLength(3);
});

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
