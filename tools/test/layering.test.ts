import { describe, expect, it } from "vitest";
import { layeringProblems } from "../checks/layering.mjs";
import { manifest, workspaceWith } from "./small-workspace.ts";

const hooks = "packages/hooks/src/index.ts";

describe("layering", () => {
  it("accepts an arrow to core and a third-party import that is declared", () => {
    const workspace = workspaceWith({
      [hooks]: 'import { sha256 } from "@basis/core";\nimport "./chain.ts";\nexport { sha256 };\n',
      "packages/hooks/src/chain.ts": 'export type { Glob } from "picomatch";\nimport "node:fs";\n',
      "packages/hooks/package.json": manifest("@basis/hooks", { peerDependencies: { picomatch: "^4" } }),
    });
    expect(layeringProblems(workspace)).toEqual([]);
  });

  it.each([
    [
      "another block",
      'import { x } from "@basis/approval";',
      "no arrow leads from @basis/hooks to @basis/approval",
    ],
    ["a block's type", 'import type { X } from "@basis/approval";', "no arrow leads"],
    ["a block's type inline", 'export type X = import("@basis/approval").X;', "no arrow leads"],
    ["a block lazily", 'export const x = import("@basis/approval");', "no arrow leads"],
    [
      "the host above",
      'export * from "@basis/runtime";',
      "no arrow leads from @basis/hooks to @basis/runtime",
    ],
    ["a file inside a package", 'import "@basis/core/src/sha256.ts";', "is not an entry of @basis/core"],
    ["another package's files", 'import "../../core/src/index.ts";', "leaves packages/hooks"],
    ["its tests", 'import "../test/fakes.ts";', "leaves src"],
    ["its own build", 'import "../dist/index.js";', "reads built files"],
    ["itself by name", 'import "@basis/hooks";', "imports its own package"],
    ["an undeclared package", 'import "left-pad";', '"left-pad" is no dependency of @basis/hooks'],
    ["a Node module without its prefix", 'import "fs";', 'write "node:fs"'],
  ])("refuses to import %s", (_what, text, message) => {
    const problems = layeringProblems(workspaceWith({ [hooks]: `\n${text}\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${hooks}:2 `);
    expect(problems[0]).toContain(message);
  });

  it("reads neither comments nor strings", () => {
    const text =
      '/** import("@basis/approval").X */\n// import "@basis/approval";\nexport const x = \'import "@basis/approval"\';\n';
    expect(layeringProblems(workspaceWith({ [hooks]: text }))).toEqual([]);
  });

  it("refuses a package that has no arrows", () => {
    const workspace = workspaceWith({ "packages/new/package.json": manifest("@basis/new") });
    expect(layeringProblems(workspace)).toEqual([
      "packages/new/package.json @basis/new has no line in the arrow table",
    ]);
  });

  it("lets fork's tests use the real store, and no other block's tests", () => {
    const text = 'import "@mobkit/session-sqlite";\n';
    expect(layeringProblems(workspaceWith({ "packages/fork/test/a.test.ts": text }))).toEqual([]);
    expect(layeringProblems(workspaceWith({ "packages/fork/src/a.ts": text }))).toHaveLength(1);
    expect(layeringProblems(workspaceWith({ "packages/hooks/test/a.test.ts": text }))).toHaveLength(1);
  });

  it("lets only the composing file of the host load many blocks", () => {
    const all = ["hooks", "approval", "child-policy"]
      .map((name) => `import { x } from "@basis/${name}";`)
      .join("\n");
    expect(layeringProblems(workspaceWith({ "apps/runtime/src/compose.ts": all }))).toEqual([]);
    const elsewhere = layeringProblems(workspaceWith({ "apps/runtime/src/agent/turn.ts": all }));
    expect(elsewhere).toEqual([expect.stringContaining("loads 3 blocks")]);
    const types = all.replaceAll("import {", "import type {");
    expect(layeringProblems(workspaceWith({ "apps/runtime/src/agent/turn.ts": types }))).toEqual([]);
  });

  it("holds an example to the package whose name it bears", () => {
    const text = 'import "@basis/approval";\n';
    const named = layeringProblems(workspaceWith({ "examples/hooks/quick-start.mjs": text }));
    expect(named).toEqual([expect.stringContaining("@basis/approval does not come with @basis/hooks")]);
    expect(layeringProblems(workspaceWith({ "examples/own-loop/main.mjs": text }))).toEqual([]);
    expect(layeringProblems(workspaceWith({ "examples/approval/quick-start.mjs": text }))).toEqual([]);
  });
});
