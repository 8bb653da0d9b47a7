import { describe, expect, it } from "vitest";
import { fileNameProblems } from "../checks/file-names.mjs";
import { fileSizeProblems } from "../checks/file-sizes.mjs";
import { workspaceOfTexts } from "../workspace.mjs";

const lines = (count: number): string => "x\n".repeat(count);

describe("file sizes", () => {
  it.each([
    ["packages/hooks/src/chain.ts", 250],
    ["packages/hooks/test/chain.test.ts", 250],
    ["tools/check.mjs", 250],
    [".ci/run", 250],
    ["packages/hooks/README.md", 200],
    ["ARCHITECTURE.md", 200],
    ["docs/adr/0001-hooks.md", 80],
  ])("holds %s to %i lines", (path, limit) => {
    expect(fileSizeProblems(workspaceOfTexts({ [path]: lines(limit) }))).toEqual([]);
    expect(fileSizeProblems(workspaceOfTexts({ [path]: `${lines(limit)}y` }))).toEqual([
      `${path} has ${limit + 1} lines, at most ${limit}`,
    ]);
  });

  it("leaves generated texts alone", () => {
    const texts = {
      "etc/hooks.api.md": lines(900),
      "packages/hooks/CHANGELOG.md": lines(900),
      "a.json": lines(900),
    };
    expect(fileSizeProblems(workspaceOfTexts(texts))).toEqual([]);
  });
});

describe("file names", () => {
  it.each(["utils", "string-helpers", "common/index", "misc", "session-manager", "hook.service"])(
    "refuses %s",
    (name) => {
      const problems = fileNameProblems(workspaceOfTexts({ [`packages/hooks/src/${name}.ts`]: "" }));
      expect(problems).toHaveLength(1);
    },
  );

  it("accepts a concept, also one that contains such a word's letters", () => {
    const paths = ["hook-chain.ts", "commons-law.ts", "serviceable.ts"].map(
      (name) => `packages/hooks/src/${name}`,
    );
    expect(fileNameProblems(workspaceOfTexts(Object.fromEntries(paths.map((path) => [path, ""]))))).toEqual(
      [],
    );
  });
});
