import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256 } from "@basis/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadContextFiles } from "../../src/config/context-files.ts";

let base: string;
let workspace: string;
let config: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "basis-context-")));
  workspace = join(base, "repository/packages/one");
  config = join(base, "config");
  for (const dir of [workspace, config, join(base, "repository/.git")]) mkdirSync(dir, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

const write = (dir: string, text: string): void => writeFileSync(join(base, dir, "AGENTS.md"), text);

describe("loadContextFiles", () => {
  it("reads the user's own file, then those from the repository's root down to the workspace", () => {
    write("repository/packages/one", "nearest");
    write("config", "mine");
    write("repository", "root");
    write("", "outside the repository");
    expect(loadContextFiles(workspace, config).map(({ text }) => text)).toEqual(["mine", "root", "nearest"]);
  });

  it("reads the workspace's alone where there is no repository", () => {
    rmSync(join(base, "repository/.git"), { recursive: true });
    write("repository", "above");
    write("repository/packages/one", "here");
    expect(loadContextFiles(workspace, config).map(({ text }) => text)).toEqual(["here"]);
  });

  it("names each file with the digest of its bytes", () => {
    write("repository", "root");
    expect(loadContextFiles(workspace, config)).toEqual([
      { path: join(base, "repository/AGENTS.md"), digest: `sha256:${sha256("root")}`, text: "root" },
    ]);
  });

  it("takes 256 KiB and refuses a byte more", () => {
    write("repository", "x".repeat(256 * 1024));
    expect(loadContextFiles(workspace, config)).toHaveLength(1);
    write("repository", "x".repeat(256 * 1024 + 1));
    expect(() => loadContextFiles(workspace, config)).toThrow("shorten it to 262144 or less");
  });

  it("finds nothing where there is nothing", () => {
    expect(loadContextFiles(workspace, config)).toEqual([]);
  });
});
