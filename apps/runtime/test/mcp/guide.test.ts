import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readToolsFile } from "../../src/declared/tools-file.ts";
import { readMcpFile } from "../../src/mcp/mcp-file.ts";

const guide = readFileSync(new URL("../../TOOLS.md", import.meta.url), "utf8");
const [mcp, declared] = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => text!);

test("the examples of the guide are files that the host reads", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-guide-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".basis"));
  writeFileSync(join(root, ".mcp.json"), mcp!);
  writeFileSync(join(root, ".basis/tools.json"), declared!);
  expect((await readMcpFile(root, {}))?.servers.map(({ name }) => name)).toEqual(["files", "tracker"]);
  expect((await readToolsFile(root, {}))?.tools.map(({ name }) => name)).toEqual(["lint"]);
});
