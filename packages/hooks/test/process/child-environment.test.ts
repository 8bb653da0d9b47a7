import { mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { childEnvironment, namedVariables, safePath } from "../../src/process/child-environment.ts";
import { resolveProgram } from "../../src/process/resolve-program.ts";
import { makeFixture } from "../node/workspace-fixture.ts";

describe("childEnvironment", () => {
  it("holds the baseline and what was granted, and nothing else of the host's", () => {
    // H71
    const host = { PATH: "/bin", HOME: "/h", LANG: "C", API_KEY: "secret", TOKEN: "t", EMPTY: undefined };
    const child = childEnvironment(host, { workspace: "/w", granted: ["TOKEN", "EMPTY", "toString"] });
    expect(child).toEqual({ PATH: "/bin", HOME: "/h", LANG: "C", TOKEN: "t" });
  });
});

describe("safePath", () => {
  it("drops relative, empty and workspace-inside entries, links into the workspace included", async () => {
    // S8
    const { root, workspace } = await makeFixture();
    const bin = join(workspace, "node_modules", ".bin");
    await mkdir(bin, { recursive: true });
    await symlink(bin, join(root, "linked"));
    const entries = [
      "/usr/bin",
      "",
      ".",
      "bin",
      "../x",
      workspace,
      bin,
      join(root, "linked"),
      `${workspace}-other`,
      "/bin",
    ];
    expect(safePath(entries.join(delimiter), workspace).split(delimiter)).toEqual([
      "/usr/bin",
      `${workspace}-other`,
      "/bin",
    ]);
  });
});

describe("resolveProgram", () => {
  it("resolves paths from the workspace and bare names on PATH alone", async () => {
    // H58
    const { workspace, root, write } = await makeFixture();
    const own = await write("workspace/guard", "", 0o700);
    const nested = await write("workspace/tools/guard", "", 0o700);
    const onPath = await write("bin/checker", "", 0o700);
    const env = { PATH: join(root, "bin") };
    const find = (name: string) => resolveProgram(name, { workspace, env });
    expect(find("./guard")).toBe(own);
    expect(find("tools/guard")).toBe(nested);
    expect(find("guard")).toBeUndefined();
    expect(find("checker")).toBe(onPath);
    expect(find(onPath)).toBe(onPath);
  });

  it("finds neither directories nor files that may not be executed", async () => {
    const { workspace, root, write } = await makeFixture();
    await write("bin/plain", "", 0o600);
    await mkdir(join(root, "bin", "folder"));
    const find = (name: string) => resolveProgram(name, { workspace, env: { PATH: join(root, "bin") } });
    expect([find("plain"), find("folder"), find("absent")]).toEqual([undefined, undefined, undefined]);
    expect(resolveProgram("sh", { workspace, env: {} })).toBeUndefined();
  });
});

// Windows is not run here: its rules are checked with its paths and a fake of its files.
describe("on Windows", () => {
  const there = [
    "C:\\bin\\guard.exe",
    "C:\\bin\\tool.CMD",
    "C:\\w\\own.EXE",
    "C:\\bin\\plain",
    "D:\\x\\y.exe",
  ];
  const files = { isWindows: true, isExecutable: (path: string) => there.includes(path) };
  const env = { PATH: "C:\\other;;C:\\bin", PATHEXT: ".exe;.CMD;.EXE" };
  const find = (name: string) => resolveProgram(name, { workspace: "C:\\w", env }, files);

  it("programs are found with the endings of PATHEXT, by either slash, and never in the workspace by a bare name", () => {
    expect([find("guard"), find("guard.exe"), find("tool")]).toEqual([there[0], there[0], there[1]]);
    expect([find(".\\own"), find("./own.EXE"), find("D:\\x\\y")]).toEqual([there[2], there[2], there[4]]);
    expect([find("own"), find("plain"), find("absent")]).toEqual([undefined, undefined, undefined]);
  });

  it("variables are found in whatever case the host has them", () => {
    const host = { Path: "C:\\bin", systemroot: "C:\\WINNT", HOME: "h", Token: "t", API_KEY: "secret" };
    expect(namedVariables(host, ["TOKEN"], true)).toEqual({
      PATH: "C:\\bin",
      SystemRoot: "C:\\WINNT",
      TOKEN: "t",
    });
    expect(namedVariables(host, ["TOKEN"], false)).toEqual({ HOME: "h" });
  });
});
