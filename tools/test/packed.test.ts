import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { statedPeers } from "../packed/alone.mjs";
import { contentProblems, rootModules } from "../packed/contents.mjs";
import { readTarball } from "../packed/tarball.mjs";
import { workspaceOfTexts } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const files = (texts: Record<string, string>) => ({
  files: Object.entries(texts).map(([path, text]) => ({ path, content: Buffer.from(text) })),
});
const packed = {
  "package.json": '{ "exports": { ".": "./dist/index.js" }, "dependencies": { "@basis/core": "^0.1.0" } }',
  "README.md": "# x",
  LICENSE: "MIT",
  "dist/index.js": "",
  "dist/index.d.ts": "",
};

describe("a tarball's contents", () => {
  it("are the built files and their words", () => {
    expect(contentProblems(files(packed))).toEqual([]);
  });

  it.each([
    [{ "src/index.ts": "" }, "packs src/index.ts"],
    [{ "dist/index.ts": "" }, "packs dist/index.ts"],
    [{ "dist/.tsbuildinfo": "" }, "packs dist/.tsbuildinfo"],
    [{ "dist/test/a.js": "" }, "packs dist/test/a.js"],
    [{ "package.json": '{ "x": "@basis/source" }' }, "publishes the development condition"],
    [{ "package.json": '{ "dependencies": { "a": "workspace:^" } }' }, "by workspace path"],
    [{ "package.json": '{ "exports": "./dist/gone.js" }' }, "names dist/gone.js and does not pack it"],
  ])("refuse %j", (over, message) => {
    expect(contentProblems(files({ ...packed, ...over })).join("\n")).toContain(message);
  });

  it("refuse a missing licence", () => {
    const { LICENSE: _licence, ...rest } = packed;
    expect(contentProblems(files(rest))).toEqual(["does not pack LICENSE"]);
  });

  it("are read from the archive as tar wrote it", () => {
    const folder = mkdtempSync(join(tmpdir(), "basis-tar-"));
    writeFileSync(join(folder, "a.txt"), "x".repeat(700));
    spawnSync("tar", ["-czf", "a.tgz", "a.txt"], { cwd: folder });
    const contents = readTarball(join(folder, "a.tgz"));
    expect(contents.installedBytes).toBe(700);
    expect(contents.files.map((file) => file.path)).toEqual(["a.txt"]);
    expect(contents.files[0]?.content.toString()).toBe("x".repeat(700));
    rmSync(folder, { recursive: true });
  });
});

describe("the modules of a root entry", () => {
  it("are those that load with it, each once, and no lazy one", () => {
    const { files: list } = files({
      "package.json": '{ "exports": { ".": { "default": "./dist/index.js" } } }',
      "dist/index.js": 'import "@basis/core";\nexport { a } from "./a.js";\nimport "./b/b.js";\n',
      "dist/a.js": 'import "./b/b.js";\nexport const a = () => import("./lazy.js");\n',
      "dist/b/b.js": 'import "../c.js";\n',
      "dist/c.js": "export const c = 1;\n",
      "dist/lazy.js": "",
    });
    expect(rootModules(list)).toEqual(["dist/index.js", "dist/a.js", "dist/b/b.js", "dist/c.js"]);
  });
});

describe("the peers a README asks for", () => {
  it("are installed at the manifest's range, and no others", () => {
    const workspace = workspaceOfTexts({
      "packages/hooks/package.json": manifest("@basis/hooks", {
        peerDependencies: { ajv: "^8.17.0", ai: "^6" },
      }),
      "packages/hooks/README.md": "```sh\nnpm i @basis/hooks ajv\n```\n",
    });
    expect(statedPeers(workspace, workspace.packages[0])).toEqual(["ajv@^8.17.0"]);
  });
});
