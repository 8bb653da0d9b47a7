import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { configDirectory, dataDirectory, openDataDirectory } from "../../src/config/data-dir.ts";

describe("dataDirectory and configDirectory", () => {
  it.each([
    [{ BASIS_DATA_DIR: "/d", BASIS_CONFIG_DIR: "/c", XDG_DATA_HOME: "/x" }, "/d", "/c"],
    [{ XDG_DATA_HOME: "/x", XDG_CONFIG_HOME: "/y", HOME: "/h" }, "/x/basis", "/y/basis"],
    [{ HOME: "/h" }, "/h/.local/share/basis", "/h/.config/basis"],
    [{ BASIS_DATA_DIR: "", BASIS_CONFIG_DIR: "", HOME: "/h" }, "/h/.local/share/basis", "/h/.config/basis"],
    [{ USERPROFILE: "/u" }, "/u/.local/share/basis", "/u/.config/basis"],
  ])("of %j are %s and %s", (env, data, config) => {
    expect([dataDirectory(env), configDirectory(env)]).toEqual([data, config]);
  });
});

it("without HOME they are those of the user's account: a service has the guards and sessions of their shell", () => {
  const { homedir } = userInfo();
  for (const env of [{}, { HOME: "" }])
    expect([dataDirectory(env), configDirectory(env)]).toEqual([
      join(homedir, ".local/share/basis"),
      join(homedir, ".config/basis"),
    ]);
});

describe("openDataDirectory", () => {
  let base: string;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "basis-data-")));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  it("makes the directory and its parents for the user alone, and answers its real path", () => {
    const path = join(base, "a/b/data");
    expect(openDataDirectory(path, join(base, "workspace"))).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    symlinkSync(path, join(base, "link"));
    expect(openDataDirectory(join(base, "link"), join(base, "workspace"))).toBe(path);
  });

  it.each([
    ["relative", () => "data"],
    ["the workspace", () => base],
    ["inside the workspace", () => join(base, "data")],
    ["a file", () => join(base, "file")],
    ["through a file", () => join(base, "file/data")],
  ])("refuses one that is %s", (_name, path) => {
    writeFileSync(join(base, "file"), "");
    expect(() => openDataDirectory(path(), base)).toThrow(/data directory .*BASIS_DATA_DIR/);
  });

  it("takes one that a workspace lies in", () => {
    expect(openDataDirectory(base, join(base, "workspace"))).toBe(base);
  });
});
