import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive, untilGone } from "../crash/support/processes.ts";
import { StartError } from "../../src/config/start-error.ts";
import { callsOf, hostWith, notesOf, offered, processesOf, resultsIn } from "./support/mcp-host.ts";

function logFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "basis-mcp-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "log");
}

test("a server's tool is offered as mcp__SERVER__TOOL, asked about, and answers", async () => {
  const host = await hostWith({}, { agents: callsOf("echo") });
  expect(await resultsIn(host)).toEqual([{ type: "text", value: "echo {}" }]);
  expect(host.approver.asked).toMatchObject([{ toolName: "mcp__s__echo", sideEffectLevel: "external" }]);
  expect(host.events.all.map(({ type }) => type).slice(0, 2)).toEqual(["run_started", "mcp_server"]);
  expect(host.events.all[0]).toMatchObject({ data: { mcp_servers: ["s"] } });
  expect(host.events.all[1]).toMatchObject({
    data: { server: "s", state: "ready", tools: ["mcp__s__echo"] },
  });
});

test("every page of the list is read", async () => {
  const tools = ["a", "b", "c", "d", "e"].map((name) => offered(name));
  const host = await hostWith({ tools, pageSize: 2 });
  expect([...host.facts.servers.tools().keys()]).toEqual(
    ["a", "b", "c", "d", "e"].map((name) => `mcp__s__${name}`),
  );
});

test("a list without an end fails the server, not the host", async () => {
  const host = await hostWith({ endless: true });
  expect(host.facts.servers.status()).toMatchObject([
    { state: "failed", tools: [], reason: expect.stringContaining("pages") },
  ]);
});

test.each([
  ["an answer that is an error", "fail", { type: "error-text", value: "it went wrong" }],
  [
    "a refusal by the protocol",
    "refuse",
    { type: "error-text", value: "the MCP server 's' refused the call: not today" },
  ],
  [
    "an answer that is no result",
    "wrong",
    { type: "error-text", value: "what the MCP server 's' answered is no result of a tool" },
  ],
])("%s is an error of the call, and the server goes on", async (_what, name, result) => {
  const host = await hostWith({ tools: [offered(name), offered("echo")] }, { agents: callsOf(name, "echo") });
  expect(await resultsIn(host)).toEqual([result, { type: "text", value: "echo {}" }]);
  expect(host.facts.servers.status()).toMatchObject([{ state: "ready" }]);
});

const structured = offered("structured", {
  outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] },
});

test("structured content reaches the model as JSON", async () => {
  const host = await hostWith({ tools: [structured] }, { agents: callsOf("structured") });
  expect(await resultsIn(host)).toEqual([{ type: "json", value: { sum: 3 } }]);
});

test("structured content that does not fit the declared schema is an error", async () => {
  const host = await hostWith(
    { tools: [structured], structured: { sum: "three" } },
    { agents: callsOf("structured") },
  );
  const [result] = await resultsIn(host);
  expect(result).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("does not fit the schema that it declared: /sum"),
  });
});

test("progress is shown with its control characters escaped", async () => {
  const host = await hostWith({ tools: [offered("progress")] }, { agents: callsOf("progress") });
  await resultsIn(host);
  const shown = host.events.all.filter(({ type }) => type === "tool_progress");
  expect(shown).toMatchObject([{ data: { text: String.raw`1 of 2: half\u{1b}[2J` } }]);
});

test("what a server asks of the host is refused, but for its roots", async () => {
  const host = await hostWith({ tools: [offered("asks")] }, { agents: callsOf("asks") });
  const [result] = await resultsIn(host);
  expect(result?.value).toBe(
    [
      "sampling/createMessage: -32601",
      "elicitation/create: -32601",
      `roots/list: {"roots":[{"uri":"file://${host.root}","name":"workspace"}]}`,
    ].join("\n"),
  );
});

test("a server that dies during a call fails the call, is told as lost and started once more", async () => {
  const log = logFile();
  const host = await hostWith(
    { log, tools: [offered("die"), offered("echo")] },
    { agents: callsOf("die", "echo", "die", "echo") },
  );
  const lost = { type: "error-text", value: expect.stringContaining("whether it took effect is unknown") };
  const echo = { type: "text", value: "echo {}" };
  expect(await resultsIn(host)).toEqual([lost, echo, lost, echo]);
  expect(notesOf(log).filter((line) => line === "called die")).toHaveLength(2);
  const states = host.events.all.flatMap((event) => (event.type === "mcp_server" ? [event.data.state] : []));
  expect(states).toEqual(["ready", "lost", "ready", "lost", "ready"]);
});

test("a server that dies again before it has answered anything stays down", async () => {
  const host = await hostWith(
    { tools: [offered("die"), offered("echo")] },
    { agents: callsOf("die", "die", "echo") },
  );
  const [, , last] = await resultsIn(host);
  expect(last).toMatchObject({ type: "error-text", value: expect.stringContaining("is not connected") });
  expect(host.facts.servers.status()).toMatchObject([{ state: "failed", tools: [] }]);
});

test("a server that ends at its start is told with its last errors, and the run goes on without it", async () => {
  const host = await hostWith(
    { dieAtStart: true, stderr: "no licence found" },
    { agents: { main: [{ text: "done" }] } },
  );
  expect((await host.run("go")).outcome).toBe("completed");
  expect(host.events.all[1]).toMatchObject({
    type: "mcp_server",
    data: { state: "failed", reason: expect.stringContaining("no licence found") },
  });
});

test("a server that is late does not hold the first turn up, and joins the next", async () => {
  const host = await hostWith(
    { delayMs: 1_500 },
    { entry: { start_timeout_ms: 50 }, agents: { main: [{ text: "one" }, { text: "two" }] } },
  );
  expect(host.facts.servers.status()).toMatchObject([{ state: "late" }]);
  const report = await host.run("go");
  expect(host.models.requests[0]!.tools.map(({ name }) => name)).not.toContain("mcp__s__echo");
  await vi.waitFor(() => expect(host.facts.servers.status()).toMatchObject([{ state: "ready" }]), 10_000);
  await host.run("again", { sessionId: report.transcript!.sessionId });
  expect(host.models.requests.at(-1)!.tools.map(({ name }) => name)).toContain("mcp__s__echo");
});

test("a server that never answers is late, and ended with the host", async () => {
  const log = logFile();
  const host = await hostWith({ log, hangAtStart: true }, { entry: { start_timeout_ms: 1_500 } });
  expect(host.facts.servers.status()).toMatchObject([{ state: "late" }]);
  await host.close();
  await untilGone(processesOf(log));
  expect(processesOf(log)).toHaveLength(1);
});

test("lines that are no messages are passed over", async () => {
  const noise = 'Server listening…\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"half":';
  const host = await hostWith({ noise }, { agents: callsOf("echo") });
  expect(await resultsIn(host)).toEqual([{ type: "text", value: "echo {}" }]);
});

test.each([
  ["a message of more than 8 MiB", "giant", "8388608 bytes"],
  ["more than 1 MiB of lines that are no messages", "flood", "no messages"],
])("%s ends the server", async (_what, name, reason) => {
  const host = await hostWith({ tools: [offered(name)] }, { agents: callsOf(name) });
  const [result] = await resultsIn(host);
  expect(result).toMatchObject({ type: "error-text", value: expect.stringContaining("was lost") });
  expect(host.events.all).toContainEqual(
    expect.objectContaining({
      type: "mcp_server",
      data: expect.objectContaining({ state: "lost", reason: expect.stringContaining(reason) }),
    }),
  );
});

test("a call that takes too long is stopped, and the server is told", async () => {
  const log = logFile();
  const host = await hostWith(
    { log, tools: [offered("hang"), offered("echo")] },
    { entry: { call_timeout_ms: 300 }, agents: callsOf("hang", "echo") },
  );
  expect(await resultsIn(host)).toEqual([
    { type: "error-text", value: "'mcp__s__hang' did not answer within 300ms and was stopped" },
    { type: "text", value: "echo {}" },
  ]);
  expect(notesOf(log).some((line) => line.startsWith("told notifications/cancelled"))).toBe(true);
});

// S19
test("two tools that would have one name refuse the open, naming both", async () => {
  const opening = hostWith({ tools: [offered("a.b"), offered("a/b")] });
  await expect(opening).rejects.toThrow(StartError);
  await expect(hostWith({ tools: [offered("a.b"), offered("a/b")] })).rejects.toThrow(
    /MCP server 's': its tools 'a\.b' and 'a\/b' would both be 'mcp__s__a_b'/,
  );
  const apart = await hostWith({ tools: [offered("a.b"), offered("a-b")] });
  expect([...apart.facts.servers.tools().keys()]).toEqual(["mcp__s__a_b", "mcp__s__a-b"]);
});

test("a tool with a schema that is none is left out and named; the others stay", async () => {
  const bad = offered("bad", { inputSchema: { type: "object", properties: { a: { type: "strange" } } } });
  const host = await hostWith({ tools: [bad, offered("echo")] });
  expect(host.facts.servers.status()).toMatchObject([
    { state: "ready", tools: ["mcp__s__echo"], reason: expect.stringMatching(/left out: 'bad': .*schema/) },
  ]);
});

test("an input that does not fit the server's schema never reaches it", async () => {
  const log = logFile();
  const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const host = await hostWith(
    { log, tools: [offered("echo", { inputSchema })] },
    { agents: callsOf("echo") },
  );
  const [result] = await resultsIn(host);
  expect(result).toMatchObject({ type: "error-text", value: expect.stringContaining("Invalid input") });
  expect(notesOf(log)).not.toContain("called echo");
});

test("the processes of a server that ignores every request to end are gone after a close", async () => {
  const log = logFile();
  const host = await hostWith({ log, ignoreEnd: true, child: true });
  expect(processesOf(log).filter(isAlive)).toHaveLength(2);
  await host.close();
  await untilGone(processesOf(log));
});
