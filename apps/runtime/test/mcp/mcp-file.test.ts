import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readMcpFile } from "../../src/mcp/mcp-file.ts";

function workspace(text?: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-mcp-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  if (text !== undefined) writeFileSync(join(root, ".mcp.json"), text);
  return root;
}

async function problemsOf(text: string): Promise<string> {
  const root = workspace(text);
  const error = await readMcpFile(root, { ACME_BASE_URL: "http://x" }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: "StartError", code: "workspace", exitCode: 5 });
  return (error as Error).message.replaceAll(`${root}/`, "");
}

const entry = (name: string, body: object): string =>
  JSON.stringify({ mcpServers: { [name]: body } }, null, 1);

test("there need be no file", async () => {
  expect(await readMcpFile(workspace(), {})).toBeUndefined();
});

test("a program and an address are read, with their defaults", async () => {
  const servers = {
    files: { command: "node", args: ["server.js", "."], env: { TOKEN: "${TOKEN}", N: "1" }, cwd: "tools" },
    remote: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer ${KEY}" } },
    local: {
      type: "http",
      url: "http://localhost:1/mcp",
      headers: { "X-Key": "${KEY}" },
      start_timeout_ms: 5,
    },
  };
  const file = await readMcpFile(workspace(JSON.stringify({ mcpServers: servers })), {});
  expect(file?.servers).toEqual([
    {
      name: "files",
      type: "stdio",
      command: "node",
      args: ["server.js", "."],
      env: { TOKEN: "${TOKEN}", N: "1" },
      cwd: "tools",
      files: [],
      startTimeoutMs: 10_000,
      callTimeoutMs: 120_000,
    },
    {
      name: "remote",
      type: "http",
      url: "https://example.org/mcp",
      headers: { Authorization: "Bearer ${KEY}" },
      startTimeoutMs: 10_000,
      callTimeoutMs: 120_000,
    },
    {
      name: "local",
      type: "http",
      url: "http://localhost:1/mcp",
      headers: { "X-Key": "${KEY}" },
      startTimeoutMs: 5,
      callTimeoutMs: 120_000,
    },
  ]);
});

test.each([
  ["no JSON", "{\n", /^\.mcp\.json:2: /],
  ["a key twice", '{"mcpServers": {"a": {"command": "x"},\n "a": {"command": "y"}}}', /^\.mcp\.json:2: .*a/],
  ["two documents", '{"mcpServers": {}} {}', /^\.mcp\.json:1: /],
  ["a list", "[]", /^\.mcp\.json:1: must be an object, not array/],
  [
    "another key",
    '{\n"mcpserver": {}}',
    /\.mcp\.json:2: .*"mcpserver" is not known here.*did you mean "mcpServers"\?/,
  ],
  ["a misspelt field", entry("a", { comand: "x" }), /:4: .*did you mean "command"\?/],
  ["no command", entry("a", {}), /:3: \/mcpServers\/a: "command" is missing/],
  ["a command that is a list", entry("a", { command: ["x"] }), /:4: .*command: must be a string, not array/],
  [
    "arguments that are a text",
    entry("a", { command: "x", args: "y" }),
    /args: must be an array, not string/,
  ],
  ["a variable that is a number", entry("a", { command: "x", env: { A: 1 } }), /env\/A: must be a string/],
  ["the name of a variable", entry("a", { command: "x", env: { "A B": "" } }), /"A B" is no variable's name/],
  ["a server's name", entry("a b", { command: "x" }), /a server's name has 1 to 32/],
  ["two underscores in a name", entry("a__b", { command: "x" }), /a server's name has/],
  ["a long name", entry("a".repeat(33), { command: "x" }), /a server's name has/],
  ["another transport", entry("a", { type: "ws", url: "x" }), /must be one of "stdio", "http"/],
  ["the old transport", entry("a", { type: "sse", url: "https://x" }), /use "http"/],
  [
    "an address beside a command",
    entry("a", { command: "x", args: [], url: "https://x" }),
    /"type" is missing/,
  ],
  [
    "an address that is none",
    entry("a", { type: "http", url: "example" }),
    /must be an http or https address/,
  ],
  ["another scheme", entry("a", { type: "http", url: "file:///etc" }), /must be an http or https address/],
  ["credentials in it", entry("a", { type: "http", url: "https://u:p@x" }), /must hold no credentials/],
  [
    "a header of the protocol's",
    entry("a", { type: "http", url: "https://x", headers: { "Mcp-Session-Id": "1" } }),
    /the protocol itself sets/,
  ],
  [
    "a header that breaks the line",
    entry("a", { type: "http", url: "https://x", headers: { A: "b\r\nC: d" } }),
    /printable ASCII/,
  ],
  [
    "a secret in the clear",
    entry("a", { type: "http", url: "http://example.org", headers: { A: "${B}" } }),
    /must be https/,
  ],
  ["a file outside", entry("a", { command: "x", files: ["../b"] }), /relative path inside the workspace/],
  ["a timeout of nothing", entry("a", { command: "x", start_timeout_ms: 0 }), /must be 1 or more/],
  [
    "a timeout without an end",
    entry("a", { command: "x", call_timeout_ms: 1e12 }),
    /must be 3600000 or less/,
  ],
])("%s refuses, naming file and line", async (_what, text, message) => {
  expect(await problemsOf(text)).toMatch(message);
});

// S4
test.each([
  ["a command", { command: "${SHELL}" }, /command: \$\{NAME\} is expanded in env and headers alone/],
  ["an argument", { command: "x", args: ["a", "--key=${KEY}"] }, /args\/1: \$\{NAME\} is expanded in env/],
  ["a directory", { command: "x", cwd: "${HOME}" }, /cwd: \$\{NAME\} is expanded in env/],
  ["an address", { type: "http", url: "https://${HOST}/mcp" }, /url: \$\{NAME\} is expanded in env/],
  ["a default", { command: "x", env: { A: "${B:-c}" } }, /env\/A: only \$\{NAME\} is expanded/],
  [
    "a server's token",
    { command: "x", env: { A: "${BASIS_SERVER_TOKEN}" } },
    /is the token of this host's server/,
  ],
  ["a model's key", { command: "x", env: { A: "${ANTHROPIC_API_KEY}" } }, /is a model provider's key/],
  [
    "a key of a provider of one's own",
    { command: "x", env: { A: "${ACME_API_KEY}" } },
    /is a model provider's key/,
  ],
  [
    "a model's key in a header",
    { type: "http", url: "https://x", headers: { A: "${OPENAI_API_KEY}" } },
    /is a model provider's key/,
  ],
])("a variable in %s refuses", async (_where, body, message) => {
  expect(await problemsOf(entry("a", body))).toMatch(message);
});

test("everything that is wrong is told at once", async () => {
  const servers = { "a b": { command: 1 }, c: { args: [] } };
  expect((await problemsOf(JSON.stringify({ mcpServers: servers }))).split("\n")).toHaveLength(3);
});

test("a link, a directory and bytes that are no text refuse", async () => {
  const outside = workspace(JSON.stringify({ mcpServers: {} }));
  const linked = workspace();
  symlinkSync(join(outside, ".mcp.json"), join(linked, ".mcp.json"));
  await expect(readMcpFile(linked, {})).rejects.toThrow(
    /\.mcp\.json: it cannot be read: .*outside the workspace/,
  );
  const directory = workspace();
  mkdirSync(join(directory, ".mcp.json"));
  await expect(readMcpFile(directory, {})).rejects.toThrow(/it cannot be read/);
  const bytes = workspace();
  writeFileSync(join(bytes, ".mcp.json"), Buffer.from([0x7b, 0xff, 0x7d]));
  await expect(readMcpFile(bytes, {})).rejects.toThrow(/not UTF-8/);
});
