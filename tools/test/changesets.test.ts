import { describe, expect, it } from "vitest";
import { changesetProblems } from "../checks/changesets.mjs";
import { workspaceOfTexts } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const packages = {
  "packages/hooks/package.json": manifest("@basis/hooks"),
  "tools/package.json": JSON.stringify({ name: "@basis/tools", private: true }),
};
const note = (text: string): ReturnType<typeof workspaceOfTexts> =>
  workspaceOfTexts({ ...packages, ".changeset/hooks-first.md": text });
const changed = (): boolean => true;

describe("changesets", () => {
  it("accepts a change that is announced", () => {
    expect(changesetProblems(note('---\n"@basis/hooks": minor\n---\n\nThe chain.\n'), changed)).toEqual([]);
  });

  it("refuses a change that is not, and accepts a package that did not change", () => {
    const silent = workspaceOfTexts(packages);
    expect(changesetProblems(silent, changed)).toEqual([
      "packages/hooks/src changed and no changeset in .changeset names @basis/hooks",
    ]);
    expect(changesetProblems(silent, () => false)).toEqual([]);
  });

  it.each([
    ['---\n"@basis/hooks": minor\n---\n', "does not say what a user gets"],
    ['---\n"@basis/hoks": minor\n---\nA\n', "no public package"],
    ['---\n"@basis/tools": minor\n---\nA\n', "no public package"],
    ['---\n"@basis/hooks": big\n---\nA\n', 'by "big"'],
    ["The chain.\n", "names no package"],
  ])("refuses the note %j", (text, message) => {
    expect(changesetProblems(note(text), () => false).join("\n")).toContain(message);
  });
});
