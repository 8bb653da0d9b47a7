import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { workspaceTrust, type WorkspaceTrust } from "../../src/config/workspace-trust.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../../src/host/workspace.ts";

interface Place {
  readonly root: string;
  readonly dataDir: string;
  put(path: string, content: string): void;
}

const script = "console.log(1)";
const http = { type: "http", url: "https://example.org/mcp", headers: { A: "${TOKEN}" } };
const server = {
  command: "node",
  args: ["tools/server.mjs", "."],
  env: { T: "${TOKEN}" },
  files: ["lib.mjs"],
};
const tool = { name: "lint", description: "Lints.", argv: ["node", "tools/lint.mjs"], env: ["TOKEN"] };
const mcp = (servers: object): string => JSON.stringify({ mcpServers: servers });
const declared = (...tools: readonly object[]): string => JSON.stringify({ schema: 1, tools });

function layOut(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-grants-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "workspace");
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  for (const path of ["tools/server.mjs", "tools/lint.mjs", "lib.mjs"]) put(path, script);
  put(".mcp.json", mcp({ a: server, b: http }));
  put(".basis/tools.json", declared(tool));
  return { root, dataDir: join(base, "data"), put };
}

/** Opens without starting anything. */
async function open(
  { root, dataDir }: Place,
  say: Partial<WorkspaceTrust> & { readonly trust?: "skip" | "run" } = {},
): Promise<WorkspaceFacts> {
  const env = { PATH: process.env["PATH"], TOKEN: "x" };
  const { signal } = new AbortController();
  const start = {
    dataDir,
    env,
    trustWorkspace: false,
    trustUnpinned: false,
    ephemeral: false,
    signal,
    ...say,
  };
  const facts = await openWorkspaceFacts({
    directory: root,
    configDir: join(dirname(root), "config"),
    env,
    ...workspaceTrust(start),
    ...(say.trust && { trust: say.trust }),
    startServers: false,
    report: () => undefined,
  });
  await facts.close();
  return facts;
}

const yes = { trustWorkspace: true } as const;

// S4
describe("servers and tools that nobody has trusted", () => {
  test("refuse, naming file and names", async () => {
    const place = layOut();
    await expect(open(place)).rejects.toThrow(/\.mcp\.json is not trusted.*: a, b/);
    rmSync(join(place.root, ".mcp.json"));
    await expect(open(place)).rejects.toThrow(/tools\.json is not trusted.*: lint/);
    rmSync(join(place.root, ".basis"), { recursive: true });
    await expect(open(place)).resolves.toBeDefined();
  });

  test("are left out and named when they are skipped", async () => {
    const facts = await open(layOut(), { trust: "skip" });
    expect(facts.servers.status().map(({ state }) => state)).toEqual(["untrusted", "untrusted"]);
    expect(facts.tools.has("lint")).toBe(false);
  });

  test("are trusted for one start alone when nothing is kept", async () => {
    const place = layOut();
    const facts = await open(place, { ...yes, ephemeral: true });
    expect(facts.tools.get("lint")).toMatchObject({
      source: "declared",
      effect: "command",
      level: "process",
    });
    await expect(open(place)).rejects.toThrow("not trusted");
  });

  test("stay trusted as long as nothing of them changes", async () => {
    const place = layOut();
    await open(place, yes);
    const facts = await open(place);
    expect(facts.servers.status()).toMatchObject([
      { server: "a", state: "idle", reachedBy: "node tools/server.mjs ." },
      { server: "b", state: "idle", reachedBy: "https://example.org/mcp" },
    ]);
    expect(facts.tools.has("lint")).toBe(true);
  });
});

// S3, S4, S8
test.each([
  [
    "another argument",
    ".mcp.json",
    mcp({ a: { ...server, args: ["tools/server.mjs", "/"] }, b: http }),
    "'args' changed",
  ],
  ["another command", ".mcp.json", mcp({ a: { ...server, command: "sh" }, b: http }), "'command' changed"],
  [
    "another variable",
    ".mcp.json",
    mcp({ a: { ...server, env: { T: "${OTHER}" } }, b: http }),
    "'env' changed",
  ],
  ["another directory", ".mcp.json", mcp({ a: { ...server, cwd: "tools" }, b: http }), "'cwd' changed"],
  ["fewer files", ".mcp.json", mcp({ a: { ...server, files: [] }, b: http }), "'files' changed"],
  [
    "another address",
    ".mcp.json",
    mcp({ a: server, b: { ...http, url: "https://example.com/" } }),
    "'url' changed",
  ],
  ["another header", ".mcp.json", mcp({ a: server, b: { ...http, headers: {} } }), "'headers' changed"],
  ["an added server", ".mcp.json", mcp({ a: server, b: http, c: http }), "'c' was added"],
  ["a server less", ".mcp.json", mcp({ a: server }), "'b' is gone"],
  ["no server", ".mcp.json", mcp({}), "'a' is gone"],
  ["another name", ".mcp.json", mcp({ x: server, b: http }), "'x' was added"],
  ["a server's script", "tools/server.mjs", "other()", "tools/server.mjs changed"],
  ["what it imports", "lib.mjs", "other()", "lib.mjs changed"],
  ["a tool's script", "tools/lint.mjs", "other()", "tools/lint.mjs changed"],
  ["a tool's words", ".basis/tools.json", declared({ ...tool, argv: ["node", "lib.mjs"] }), "'argv' changed"],
  ["a tool's level", ".basis/tools.json", declared({ ...tool, level: "external" }), "'level' changed"],
  ["what a tool is given", ".basis/tools.json", declared({ ...tool, env: [] }), "'env' changed"],
  ["what a tool says", ".basis/tools.json", declared({ ...tool, description: "x" }), "'description' changed"],
  ["an added tool", ".basis/tools.json", declared(tool, { ...tool, name: "other" }), "'other' was added"],
])("%s refuses in every mode once it was trusted", async (_what, path, content, change) => {
  const place = layOut();
  await open(place, yes);
  place.put(path, content);
  for (const trust of [undefined, "skip", "run"] as const)
    await expect(open(place, trust && { trust })).rejects.toThrow(change);
  await open(place, { ...yes, trustUnpinned: true });
  await expect(open(place)).resolves.toBeDefined();
});

// S8
test.each([
  ["a package runner", { command: "npx", args: ["-y", "some-server"] }, "package runner"],
  ["code in an argument", { command: "sh", args: ["-c", "x"] }, "takes its code from elsewhere"],
  ["a variable that loads code", { ...server, env: { NODE_OPTIONS: "-r x" } }, "can load other code"],
])("%s needs its own yes", async (_what, entry, why) => {
  const place = layOut();
  place.put(".mcp.json", mcp({ a: entry }));
  await expect(open(place, yes)).rejects.toThrow(why);
  await expect(open(place)).rejects.toThrow("not trusted");
  await open(place, { ...yes, trustUnpinned: true });
  await expect(open(place)).resolves.toBeDefined();
});

test("a file that is named and not there cannot be trusted", async () => {
  const place = layOut();
  rmSync(join(place.root, "lib.mjs"));
  await expect(open(place, yes)).rejects.toThrow("MCP server 'a' names lib.mjs, which cannot be read");
});

test("words are pinned as they are found from the server's own directory", async () => {
  const place = layOut();
  place.put(".mcp.json", mcp({ a: { command: "node", args: ["server.mjs"], cwd: "tools" } }));
  await open(place, yes);
  place.put("tools/server.mjs", "other()");
  await expect(open(place)).rejects.toThrow("tools/server.mjs changed");
});

describe("the record", () => {
  const fileOf = ({ dataDir }: Place): string => {
    const directory = join(dataDir, "grants");
    return join(directory, readdirSync(directory)[0]!);
  };

  test.each([
    ["no JSON", "{"],
    ["another schema", '{"schema": 2}'],
    ["another workspace's", '{"schema": 1, "workspace": "/", "grants": []}'],
    ["no list", '{"schema": 1, "grants": {}}'],
  ])("that is %s refuses, naming the file", async (_what, text) => {
    const place = layOut();
    await open(place, yes);
    writeFileSync(fileOf(place), text);
    await expect(open(place)).rejects.toThrow(`the record of trust ${fileOf(place)} cannot be used`);
  });

  test("that others may write to refuses", async () => {
    const place = layOut();
    await open(place, yes);
    chmodSync(fileOf(place), 0o666);
    await expect(open(place)).rejects.toThrow("others than its owner may write to it");
  });

  test("is forgotten with the last server and tool", async () => {
    const place = layOut();
    await open(place, yes);
    rmSync(join(place.root, ".mcp.json"));
    rmSync(join(place.root, ".basis"), { recursive: true });
    await expect(open(place)).rejects.toThrow("is gone");
    await open(place, yes);
    expect(readdirSync(join(place.dataDir, "grants"))).toEqual([]);
  });
});
