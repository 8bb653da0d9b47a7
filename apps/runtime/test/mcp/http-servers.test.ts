import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { calls, openTestHost, resultsOf, type TestHost } from "../harness/test-host.ts";

type Message = { readonly id?: number; readonly method: string; readonly params: { readonly name: string } };
type Answer = (message: Message, request: IncomingMessage, response: ServerResponse) => unknown;

const tools = ["echo", "asks", "cut", "long"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** What a server of the protocol answers; undefined when `calls` answered by itself. */
const answers: Answer = ({ method, params }, _request, response) => {
  switch (method) {
    case "initialize":
      response.setHeader("mcp-session-id", "session-1");
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "h", version: "1" },
      };
    case "tools/list":
      return { tools };
    case "tools/call":
      if (params.name === "cut") return void response.destroy();
      return { content: [{ type: "text", text: params.name === "long" ? "x".repeat(9 << 20) : "hello" }] };
    default:
      return {};
  }
};

interface Listening {
  readonly url: string;
  /** `METHOD what authorization`, in order. */
  readonly seen: string[];
}

async function listen(answer: Answer = answers): Promise<Listening> {
  const seen: string[] = [];
  const server = createServer((request, response) => void respond(request, response));
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const message = (text === "" ? { method: "" } : JSON.parse(text)) as Message;
    seen.push(`${request.method} ${message.method} ${request.headers.authorization ?? ""}`.trim());
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const result = answer(message, request, response);
    if (result === undefined) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

function hostOf(url: string, ...names: readonly string[]): Promise<TestHost> {
  const rounds = names.map((name, index) => calls({ name: `mcp__h__${name}`, input: {}, id: `c${index}` }));
  const entry = { type: "http", url, headers: { Authorization: "Bearer ${TOKEN}" } };
  return openTestHost({
    trust: "run",
    env: { TOKEN: "secret-token" },
    agents: { main: [...rounds, { text: "done" }] },
    files: { ".mcp.json": JSON.stringify({ mcpServers: { h: entry } }) },
  });
}

async function resultsIn(host: TestHost): Promise<readonly unknown[]> {
  const report = await host.run("go");
  return Object.values(resultsOf(await host.transcript(report.transcript!.sessionId)));
}

test("a server by HTTP gets its header with every request, and is left when the host closes", async () => {
  const { url, seen } = await listen();
  const host = await hostOf(url, "echo");
  expect(await resultsIn(host)).toEqual([{ type: "text", value: "hello" }]);
  await host.close();
  const methods = ["initialize", "notifications/initialized", "tools/list", "tools/call"];
  for (const method of methods) expect(seen).toContain(`POST ${method} Bearer secret-token`);
  expect(seen.at(-1)).toBe("DELETE  Bearer secret-token");
});

test("no event, and nothing that a model reads, holds the value of a header", async () => {
  const { url } = await listen();
  const host = await hostOf(url, "echo", "cut");
  await resultsIn(host);
  expect(JSON.stringify([host.events.all, host.models.requests, host.facts.servers.status()])).not.toContain(
    "secret-token",
  );
});

// S4
test("nothing is sent to a server that nobody has trusted", async () => {
  const { url, seen } = await listen();
  const files = { ".mcp.json": JSON.stringify({ mcpServers: { h: { type: "http", url } } }) };
  await expect(openTestHost({ files })).rejects.toThrow("not trusted");
  await openTestHost({ files, trust: "skip" });
  expect(seen).toEqual([]);
});

test("a redirect is not followed: the header goes nowhere else", async () => {
  const other = await listen();
  const { url } = await listen(
    (_message, _request, response) => void response.writeHead(307, { location: other.url }).end(),
  );
  const host = await hostOf(url);
  expect(host.facts.servers.status()).toMatchObject([{ state: "failed" }]);
  expect(other.seen).toEqual([]);
});

test("an answer that is cut off is a call of unknown outcome; the server is connected to once more", async () => {
  const { url, seen } = await listen();
  const host = await hostOf(url, "cut", "echo");
  expect(await resultsIn(host)).toEqual([
    { type: "error-text", value: expect.stringContaining("whether it took effect is unknown") },
    { type: "text", value: "hello" },
  ]);
  expect(seen.filter((line) => line.startsWith("POST tools/call"))).toHaveLength(2);
});

test("an answer of more than 8 MiB is not read to its end", async () => {
  const { url } = await listen();
  const host = await hostOf(url, "long");
  expect(await resultsIn(host)).toEqual([{ type: "error-text", value: expect.stringContaining("was lost") }]);
  expect(host.events.data("mcp_server")).toContainEqual(
    expect.objectContaining({ state: "lost", reason: expect.stringContaining("8388608") }),
  );
});

test.each([
  ["nobody listens", "http://127.0.0.1:1/mcp"],
  ["no such host", "https://nowhere.invalid/mcp"],
])("where %s, the server failed and the run goes on", async (_what, url) => {
  const host = await hostOf(url);
  expect((await host.run("go")).outcome).toBe("completed");
  expect(host.facts.servers.status()).toMatchObject([{ state: "failed" }]);
});

test("an answer that is no protocol fails the server", async () => {
  const { url } = await listen((_message, _request, response) => void response.end("<html>"));
  expect((await hostOf(url)).facts.servers.status()).toMatchObject([{ state: "failed" }]);
});

test("a header with a line break in its variable fails the server before anything is sent", async () => {
  const { url, seen } = await listen();
  const entry = { type: "http", url, headers: { Authorization: "${TOKEN}" } };
  const host = await openTestHost({
    trust: "run",
    env: { TOKEN: "a\r\nX-Other: b" },
    files: { ".mcp.json": JSON.stringify({ mcpServers: { h: entry } }) },
  });
  expect(host.facts.servers.status()).toMatchObject([
    { state: "failed", reason: expect.stringContaining("'Authorization'") },
  ]);
  expect(seen).toEqual([]);
});
