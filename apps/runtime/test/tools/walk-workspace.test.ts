import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listTool } from "../../src/tools/list-tool.ts";
import { searchTool } from "../../src/tools/search-tool.ts";
import type { Tool } from "../../src/tools/tool.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "basis-walk-")));
  writeFileSync(join(root, "a.txt"), "needle\n");
  writeFileSync(join(root, "z.txt"), "needle\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A directory whose name is no text: it is seen and cannot be listed, whoever the user is. */
const closeDirectory = (): void => mkdirSync(Buffer.from(`${root}/b\xFF`, "latin1"));

const outputOf = async (tool: Tool, input: Record<string, string | number>): Promise<unknown> => {
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return (await tool.execute(input, context)).output;
};

describe("search", () => {
  it("goes on beside a directory that cannot be listed, and names it", async () => {
    closeDirectory();
    const found = await outputOf(searchTool(root), { text: "needle" });
    expect(found).toBe("a.txt:1: needle\nz.txt:1: needle\n[not searched: 'b\uFFFD' cannot be listed]");
  });

  it("is cut in a file with more matching lines than a call can have arguments", async () => {
    writeFileSync(join(root, "a.txt"), "x\n".repeat(500_000));
    const found = String(await outputOf(searchTool(root), { text: "x" })).split("\n");
    expect(found).toHaveLength(201);
    expect(found.at(-1)).toContain("cut at 200 matches");
  });

  it("says which files are too big to be searched, the first ten by name", async () => {
    for (let i = 10; i < 22; i++) writeFileSync(join(root, `big-${i}`), "needle".repeat(200_000));
    const lines = String(await outputOf(searchTool(root), { text: "needle" })).split("\n");
    expect(lines.slice(0, 2)).toEqual(["a.txt:1: needle", "z.txt:1: needle"]);
    expect(lines[2]).toBe("[not searched: 'big-10' has 1200000 bytes; at most 1048576 are read]");
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe("[2 more were not searched]");
  });

  it("refuses a directory that is not there", async () => {
    await expect(outputOf(searchTool(root), { text: "x", path: "none" })).rejects.toThrow("does not exist");
  });
});

describe("list", () => {
  it("goes on beside a directory that cannot be listed, and marks it", async () => {
    closeDirectory();
    const listed = await outputOf(listTool(root), { depth: 3 });
    expect(listed).toBe("a.txt\nb\uFFFD/ [cannot be listed]\nz.txt");
  });

  it("of an empty directory is no failure", async () => {
    mkdirSync(join(root, "empty"));
    expect(await outputOf(listTool(root), { path: "empty" })).toBe("[nothing]");
  });
});
