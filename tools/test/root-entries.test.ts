import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { rootEntryProblems } from "../checks/root-entries.mjs";
import { rootReachProblems } from "../checks/root-reach.mjs";
import { workspaceOnDisk } from "../workspace.mjs";
import { manifest, workspaceWith } from "./small-workspace.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function onDisk(texts: Record<string, string>): ReturnType<typeof workspaceOnDisk> {
  const root = mkdtempSync(join(tmpdir(), "basis-tools-"));
  folders.push(root);
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return workspaceOnDisk(root);
}

function hooksWith(texts: Record<string, string>): ReturnType<typeof workspaceOnDisk> {
  return onDisk({
    "packages/core/package.json": manifest("@basis/core"),
    "packages/core/src/index.ts": 'export const sha256 = "core";\n',
    "packages/hooks/package.json": manifest("@basis/hooks"),
    ...texts,
  });
}

describe("root entry gates", () => {
  it("look at neither erased types nor lazy imports", async () => {
    const workspace = hooksWith({
      "packages/hooks/src/index.ts":
        'import type { Stats } from "node:fs";\nimport { sha256 } from "@basis/core";\n' +
        'export const load = (call: Stats) => (call.size === sha256.length ? import("./lazy.ts") : undefined);\n',
      "packages/hooks/src/lazy.ts": 'import "node:fs";\n',
    });
    expect(await rootEntryProblems(workspace)).toEqual([]);
    expect(rootReachProblems(workspace)).toEqual([]);
  });

  it("refuse more than twelve exported values", async () => {
    const values = (count: number) =>
      Array.from({ length: count }, (_, at) => `export const v${at} = ${at};`).join("\n");
    const index = "packages/hooks/src/index.ts";
    expect(await rootEntryProblems(hooksWith({ [index]: values(12) }))).toEqual([]);
    expect(await rootEntryProblems(hooksWith({ [index]: values(13) }))).toEqual([
      "packages/hooks root entry: 13 exported values, at most 12",
    ]);
  });

  it("refuse an entry that is too heavy", async () => {
    const heavy = hooksWith({
      "packages/hooks/src/index.ts": `export const text = ${JSON.stringify(digits(3_000))};\n`,
    });
    expect(await rootEntryProblems(heavy)).toEqual([expect.stringContaining("bytes gzipped, at most")]);
  });

  it("refuse code from elsewhere, wherever it is reached", async () => {
    const workspace = hooksWith({
      "packages/hooks/src/index.ts": 'export { guard } from "./guard.ts";\n',
      "packages/hooks/src/guard.ts": 'import { z } from "zod";\nexport const guard = z;\n',
    });
    expect(await rootEntryProblems(workspace)).toEqual(['packages/hooks root entry: loads "zod"']);
    expect(rootReachProblems(workspace)).toEqual([
      'packages/hooks/src/guard.ts:1 "zod" loads with the root entry (by way of packages/hooks/src/index.ts)',
    ]);
  });
});

describe("root reach", () => {
  it("follows a sibling's entry to a Node module", () => {
    const workspace = workspaceWith({
      "packages/hooks/src/index.ts": 'export { value } from "@basis/core";\n',
      "packages/core/src/index.ts":
        'import { readFileSync } from "node:fs";\nexport const value = readFileSync;\n',
    });
    expect(rootReachProblems(workspace)).toHaveLength(2);
  });

  it("accepts a Node module that only an erased or lazy import names", () => {
    const text =
      'import type { Stats } from "node:fs";\nexport const load = (s: Stats) => import("node:fs");\n';
    expect(rootReachProblems(workspaceWith({ "packages/hooks/src/index.ts": text }))).toEqual([]);
  });
});

/** Digits that do not compress well: a linear congruential sequence. Source: Numerical Recipes' constants. */
function digits(length: number): string {
  let state = 1;
  return Array.from({ length }, () =>
    (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296).toString(36),
  ).join("");
}
