import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { budgetProblems, buildConsole, scriptBudget } from "../console-build.mjs";

let outdir: string;
let size: Record<keyof typeof scriptBudget, number>;
beforeAll(async () => {
  outdir = mkdtempSync(join(tmpdir(), "basis-console-"));
  size = await buildConsole(outdir);
});
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(outdir, name), "utf8");

// ADR 0056
describe("the host's page as it is built", () => {
  test("is within its budget, and one that is not is told by how much", () => {
    expect(budgetProblems(size)).toEqual([]);
    expect(scriptBudget.first).toBe(60_000);
    expect(budgetProblems({ ...size, first: 60_001 })).toEqual([
      "the console's script has 60001 bytes (first), at most 60000",
    ]);
  });

  test("needs before its first paint what its entry imports, and holds in one file for exports all of it", () => {
    const needed = new Set(["app.js"]);
    for (const name of needed)
      for (const [, path] of read(name).matchAll(/\bfrom"\.\/([^"]+)"/g)) needed.add(path);
    expect([...needed].reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0)).toBe(size.first);
    expect(needed).not.toContain("panels.js");
    expect(read("app.js")).toContain('import("./panels.js")');
    expect(read("page.js")).not.toMatch(/\bimport\b/);
    expect(size.whole).toBeGreaterThan(size.first);
  });

  // S38
  test("loads its own files alone, and has no script or style in its HTML", () => {
    const html = read("index.html");
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(loaded.filter((path) => !existsSync(join(outdir, path)))).toEqual([]);
    expect(loaded).toContain("app.js");
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i);
    expect(read("app.css")).not.toMatch(/@import|url\((?!#)/);
  });

  test("can stand in an element of a page, and brings the licences of what is in it", () => {
    expect(read("page.js")).not.toMatch(/<\/script|<!--/i);
    expect(read("app.css")).not.toMatch(/<\/style/i);
    expect(read("licenses.txt")).toMatch(/^preact[^]*MIT/);
  });
});
