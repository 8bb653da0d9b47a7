import { describe, expect, it } from "vitest";
import { listText, originProblems } from "../packed/file-list.mjs";
import { workspaceOfTexts } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const packing = (...paths: string[]) => ({
  files: paths.map((path) => ({ path, content: Buffer.from("") })),
});
const workspace = workspaceOfTexts({
  "packages/hooks/package.json": manifest("@basis/hooks"),
  "packages/hooks/src/index.ts": "",
  "etc/tarballs/hooks.txt": "README.md\npackage.json\n",
});
const problems = (...paths: string[]): string[] =>
  originProblems(workspace, workspace.packages[0], packing(...paths));
const reviewed = ["package.json", "README.md", "dist/index.js", "dist/index.d.ts"];

describe("the files of a tarball", () => {
  it("are the reviewed ones and what stems from a source; a release adds its changelog", () => {
    expect(problems(...reviewed)).toEqual([]);
    expect(problems(...reviewed, "CHANGELOG.md")).toEqual([]);
    expect(listText(packing("b", "dist/index.js", "a"))).toBe("a\nb\n");
  });

  it("are refused when nobody reviewed them, when one is gone, and when their source is", () => {
    expect(problems(...reviewed, "notes.txt").join()).toContain(
      "packs notes.txt, not in etc/tarballs/hooks.txt",
    );
    expect(problems(...reviewed.slice(1)).join()).toContain("lacks package.json of etc/tarballs/hooks.txt");
    expect(problems(...reviewed, "dist/gone.js")).toEqual([
      "packs dist/gone.js, which has no source any more",
    ]);
  });
});
