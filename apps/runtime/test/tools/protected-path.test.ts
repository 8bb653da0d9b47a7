import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { readConfined, writeConfined } from "../../src/tools/confined-file.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "basis-protected-")));
  for (const directory of [".git/hooks", ".basis", "agents", "sub/.git", "src"])
    mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, ".basis/hooks.json"), "{}");
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

const { signal } = new AbortController();
const write = (path: string): Promise<string> => writeConfined(root, { path, content: "x", signal });

// S2
describe("an agent's guards are read-only to file tools", () => {
  test.each([
    ".basis/hooks.json",
    ".basis/new/hook.sh",
    ".mcp.json",
    "agents/reviewer.md",
    "./src/../.basis/hooks.json",
    ".BASIS/hooks.json",
    ".basis./hooks.json",
    ".basis /hooks.json",
    ".ba\u200csis/hooks.json",
    ".mcp.json::$DATA",
  ])("%j", async (path) => {
    await expect(write(path)).rejects.toThrow("is read-only for tools");
  });

  test("through a link to them", async () => {
    symlinkSync(".basis", join(root, "way"));
    await expect(write("way/hooks.json")).rejects.toThrow("is read-only for tools");
    await expect(write("way/new/hook.sh")).rejects.toThrow("is read-only for tools");
    expect(existsSync(join(root, ".basis/new"))).toBe(false);
  });

  test("and may be read", async () => {
    expect((await readConfined(root, ".basis/hooks.json")).toString()).toBe("{}");
  });

  test.each([".basisx/file", "src/agents.md", "src/.mcp.json.md", "basis/hooks.json", "src/agents/file"])(
    "while a name that only looks alike is written: %s",
    async (path) => {
      expect(await write(path)).toBe(path);
    },
  );
});

// S14
describe("a repository's own records are read-only to file tools", () => {
  test.each([
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".git./config",
    ".git::$INDEX_ALLOCATION/config",
    "git~1/config",
    ".g\u200cit/config",
    "sub/.git/config",
    "sub/deep/.git",
    ".\uff27\uff29\uff34/config",
  ])("however it is spelled: %j", async (path) => {
    await expect(write(path)).rejects.toThrow("is read-only for tools");
  });

  test("through a link to it, and nothing is made in it on the way", async () => {
    symlinkSync(".git", join(root, "way"));
    await expect(write("way/config")).rejects.toThrow("is read-only for tools");
    await expect(write("way/new/hooks/pre-commit")).rejects.toThrow("is read-only for tools");
    expect(existsSync(join(root, ".git/new"))).toBe(false);
  });

  test("where .git is a link to a directory of another name", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    mkdirSync(join(root, "records/hooks"), { recursive: true });
    symlinkSync("records", join(root, ".git"));
    await expect(write("records/hooks/pre-commit")).rejects.toThrow("is read-only for tools");
    expect(await write("record/file")).toBe("record/file");
  });

  test("where .git is a file that names the directory, and that one another", async () => {
    rmSync(join(root, ".git"), { recursive: true });
    mkdirSync(join(root, "meta/worktrees/w"), { recursive: true });
    mkdirSync(join(root, "meta/hooks"), { recursive: true });
    writeFileSync(join(root, ".git"), "gitdir: ./meta/worktrees/w\n");
    writeFileSync(join(root, "meta/worktrees/w/commondir"), "../..\n");
    await expect(write("meta/worktrees/w/HEAD")).rejects.toThrow("is read-only for tools");
    await expect(write("meta/hooks/pre-commit")).rejects.toThrow("is read-only for tools");
    expect(await write("meta2/file")).toBe("meta2/file");
  });

  test("while the rest of the repository is written", async () => {
    expect(await write("src/.gitignore")).toBe("src/.gitignore");
    expect(readFileSync(join(root, "src/.gitignore"), "utf8")).toBe("x");
    expect(await write(".github/workflow.yml")).toBe(".github/workflow.yml");
  });
});
