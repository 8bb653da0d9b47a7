import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { workspaceTrust } from "../../src/config/workspace-trust.ts";
import { openWorkspaceFacts, type WorkspaceFacts } from "../../src/host/workspace.ts";

const hook = { name: "guard", command: ["node", "guards/hook.mjs"], files: ["guards/lib.mjs"] };
const files: Readonly<Record<string, string>> = {
  "guards/hook.mjs": "//",
  "guards/lib.mjs": "//",
  "server.mjs": "//",
  "lint.mjs": "//",
  "plain.mjs": "//",
  ".basis/hooks.json": JSON.stringify({ schema: 1, hooks: [hook] }),
  ".basis/tools.json": JSON.stringify({
    schema: 1,
    tools: [{ name: "lint", description: "Lints.", argv: ["node", "lint.mjs"] }],
  }),
  ".mcp.json": JSON.stringify({ mcpServers: { s: { command: "node", args: ["server.mjs"] } } }),
};

async function trusted(): Promise<WorkspaceFacts> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "basis-trusted-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, "workspace");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const env = { PATH: process.env["PATH"] };
  const { signal } = new AbortController();
  const start = { dataDir: join(base, "data"), env, trustUnpinned: false, ephemeral: false, signal };
  const facts = await openWorkspaceFacts({
    directory: root,
    configDir: join(base, "config"),
    env,
    ...workspaceTrust({ ...start, trustWorkspace: true }),
    startServers: false,
    report: () => undefined,
  });
  onTestFinished(() => facts.close());
  return facts;
}

function write({ tools }: WorkspaceFacts, path: string): Promise<unknown> {
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return tools.get("write")!.execute({ path, content: "changed" }, context);
}

// S2
test.each(["guards/hook.mjs", "guards/lib.mjs", "server.mjs", "lint.mjs", "./guards/../server.mjs"])(
  "an agent does not write to %s, which a record of trust names",
  async (path) => {
    const facts = await trusted();
    await expect(write(facts, path)).rejects.toThrow("the user trusted it as it is");
    expect(readFileSync(join(facts.root, path), "utf8")).toBe("//");
    await expect(write(facts, "plain.mjs")).resolves.toMatchObject({ isError: false });
  },
);

// S2
test("nor through a link, by whichever name", async () => {
  const facts = await trusted();
  symlinkSync("server.mjs", join(facts.root, "soft.mjs"));
  symlinkSync("guards", join(facts.root, "folder"));
  linkSync(join(facts.root, "server.mjs"), join(facts.root, "hard.mjs"));
  for (const path of ["soft.mjs", "folder/hook.mjs", "hard.mjs"])
    await expect(write(facts, path)).rejects.toThrow(path);
  for (const path of ["server.mjs", "guards/hook.mjs"])
    expect(readFileSync(join(facts.root, path), "utf8")).toBe("//");
});
