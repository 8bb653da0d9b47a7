import { chmod, chown, link, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookErrorCode } from "../../src/index.ts";
import { globalDirectoryOf, type HookSpec } from "../../src/node/index.ts";
import { makeFixture } from "./workspace-fixture.ts";

const hook = (name: string, facts: object = {}) => ({ name, command: ["true"], ...facts });
const refusal = (code: HookErrorCode, ...words: readonly string[]) =>
  expect.objectContaining({
    name: "HookError",
    code,
    ...(words.length > 0 && { message: expect.stringMatching(new RegExp(words.join(".*"), "s")) }),
  });
const names = (chain: { participants: readonly { name: string }[] }) =>
  chain.participants.map(({ name }) => name);

describe("openHooks finds hooks.json", () => {
  it("is content with none", async () => {
    // H47
    const fixture = await makeFixture();
    expect(names(await fixture.open())).toEqual([]);
    expect(names(await fixture.open({ globalDir: join(fixture.root, "absent") }))).toEqual([]);
    expect(fixture.reports).toEqual([]);
  });

  it("asks the host, then the operator, then the workspace", async () => {
    // H48, H33, D6
    const fixture = await makeFixture();
    await fixture.ownHooks(hook("own", { on_failure: "allow", shadow: true }));
    await fixture.globalHooks(hook("global-1"), hook("global-2", { event: "post_tool_use", tools: ["run"] }));
    const interceptors = [{ name: "interceptor", intercept: () => ({ decision: "allow" }) as const }];
    const chain = await fixture.open({ trust: "run", interceptors, specs: [hook("spec")] });
    expect(names(chain)).toEqual(["interceptor", "spec", "global-1", "global-2", "own"]);
    expect(chain.participants.map(({ rank }) => rank)).toEqual([
      "interceptor",
      "interceptor",
      "global",
      "global",
      "workspace",
    ]);
    expect(chain.participants[3]).toMatchObject({
      who: "hook 'global-2'",
      events: ["post_tool_use"],
      tools: ["run"],
    });
    expect(chain.participants[4]).toMatchObject({ onFailure: "allow", shadow: true });
    expect(chain.workspace).toBe(fixture.workspace);
  });

  it.each([
    ["a symbolic link", symlink],
    ["a hard link", link],
  ])("reads one file once when the workspace's is %s to the operator's", async (_what, connect) => {
    // H49
    const fixture = await makeFixture();
    const target = await fixture.globalHooks(hook("only"));
    await mkdir(join(fixture.workspace, ".basis"));
    await connect(target, join(fixture.workspace, ".basis", "hooks.json"));
    const chain = await fixture.open();
    expect(chain.participants).toMatchObject([{ name: "only", rank: "global" }]);
  });

  it("does not look in parent directories", async () => {
    // H52
    const fixture = await makeFixture();
    await fixture.ownHooks(hook("parent"));
    const nested = join(fixture.workspace, "nested");
    await mkdir(nested);
    expect(names(await fixture.open({ workspace: nested }))).toEqual([]);
    expect(names(await fixture.open({ trust: "run" }))).toEqual(["parent"]);
  });

  it("takes the directory from BASIS_CONFIG_DIR, else XDG_CONFIG_HOME, else HOME", async () => {
    // H53
    const env = { BASIS_CONFIG_DIR: "/b", XDG_CONFIG_HOME: "/x", HOME: "/h" };
    expect(globalDirectoryOf(env)).toBe("/b");
    expect(globalDirectoryOf({ ...env, BASIS_CONFIG_DIR: "" })).toBe("/x/basis");
    expect(globalDirectoryOf({ HOME: "/h" })).toBe("/h/.config/basis");
    expect(globalDirectoryOf({})).toBeUndefined();
    const fixture = await makeFixture();
    await fixture.globalHooks(hook("global"));
    const chain = await fixture.open({ globalDir: undefined, env: { BASIS_CONFIG_DIR: fixture.globalDir } });
    expect(names(chain)).toEqual(["global"]);
  });

  it("reads no file when discovery is off, not even a bad one", async () => {
    // H54
    const fixture = await makeFixture();
    await fixture.write("config/hooks.json", "{");
    await fixture.write("workspace/.basis/hooks.json", "{");
    expect(names(await fixture.open({ discovery: false, specs: [hook("spec")] }))).toEqual(["spec"]);
  });

  it("resolves a linked workspace to the one root", async () => {
    const fixture = await makeFixture();
    await symlink(fixture.workspace, join(fixture.root, "linked"));
    const chain = await fixture.open({ workspace: join(fixture.root, "linked") });
    expect(chain.workspace).toBe(fixture.workspace);
  });
});

describe("openHooks refuses, naming the file,", () => {
  it.each([
    ["bad JSON", '{\n"schema":1,\n"hooks":[}', "invalid_file", ":3: not JSON"],
    ["another schema", '{"schema":2,"hooks":[]}', "unsupported_schema", "schema 2.*schema 1"],
    [
      "an unknown key",
      '{"schema":1,"hooks":[\n{"name":"g","comand":[]}]}',
      "invalid_file",
      ":2: .*did you mean 'command'",
    ],
    [
      "an empty command",
      '{"schema":1,"hooks":[{"name":"g","command":[]}]}',
      "invalid_file",
      "'command' must be",
    ],
    ["no JSON at all", "\u0007", "invalid_file", "not JSON"],
  ] as const)("%s, of the workspace and of the operator", async (_what, text, code, words) => {
    // H50, H51, H55
    for (const path of ["workspace/.basis/hooks.json", "config/hooks.json"]) {
      const fixture = await makeFixture();
      const file = await fixture.write(path, text);
      await expect(fixture.open({ trust: "skip" })).rejects.toEqual(refusal(code, file, words));
    }
  });

  it("what is there but cannot be read", async () => {
    // H50
    const fixture = await makeFixture();
    const path = join(fixture.workspace, ".basis", "hooks.json");
    await mkdir(path, { recursive: true });
    await expect(fixture.open()).rejects.toEqual(refusal("unreadable_file", path, "regular file"));
    const dangling = await makeFixture();
    await mkdir(join(dangling.workspace, ".basis"));
    await symlink("/nowhere/at/all", join(dangling.workspace, ".basis", "hooks.json"));
    await expect(dangling.open()).rejects.toEqual(refusal("unreadable_file"));
    const huge = await makeFixture();
    await huge.write("config/hooks.json", " ".repeat(1024 * 1024 + 1));
    await expect(huge.open()).rejects.toEqual(refusal("unreadable_file", "larger than 1048576 bytes"));
    const binary = await makeFixture();
    await writeFile(join(binary.globalDir, "hooks.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(binary.open()).rejects.toEqual(refusal("unreadable_file", "UTF-8"));
  });

  it("specs of the host that would be refused in a file", async () => {
    // D6
    const fixture = await makeFixture();
    const specs = (spec: object) => fixture.open({ specs: [spec as HookSpec] });
    await expect(specs(hook("g", { timeoutMs: 1 }))).rejects.toEqual(
      refusal("invalid_spec", "/specs/0/timeoutMs", "did you mean 'timeout_ms'"),
    );
    await expect(specs({ name: "g", command: [() => 1] })).rejects.toEqual(refusal("invalid_spec"));
    expect(names(await specs(hook("g", { tools: undefined, timeout_ms: 1 })))).toEqual(["g"]);
  });

  it("a workspace that is no absolute path to a directory", async () => {
    const fixture = await makeFixture();
    const file = await fixture.write("file", "");
    for (const workspace of ["relative", join(fixture.root, "absent"), file]) {
      await expect(fixture.open({ workspace })).rejects.toEqual(refusal("invalid_workspace", workspace));
    }
  });

  it("to go on once its signal has aborted", async () => {
    const fixture = await makeFixture();
    await fixture.globalHooks(hook("g"));
    await expect(fixture.open({ signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
  });
});

// S21
describe("openHooks refuses a global directory", () => {
  it("that is relative", async () => {
    const fixture = await makeFixture();
    const unsafe = refusal("unsafe_global_directory", "not an absolute path");
    await expect(fixture.open({ globalDir: "config" })).rejects.toEqual(unsafe);
    const env = { XDG_CONFIG_HOME: "." };
    await expect(fixture.open({ globalDir: undefined, env })).rejects.toEqual(unsafe);
  });

  it("that lies in the workspace, or is a link into it", async () => {
    const fixture = await makeFixture();
    const inside = join(fixture.workspace, "config");
    await mkdir(inside, { mode: 0o700 });
    await symlink(inside, join(fixture.root, "linked"));
    for (const globalDir of [inside, join(fixture.root, "linked"), fixture.workspace]) {
      await expect(fixture.open({ globalDir })).rejects.toEqual(
        refusal("unsafe_global_directory", "inside the workspace"),
      );
    }
    await symlink(fixture.globalDir, join(fixture.workspace, "out"));
    await expect(fixture.open({ globalDir: join(fixture.workspace, "out") })).rejects.toEqual(
      refusal("unsafe_global_directory"),
    );
  });

  it("whose file is a link into the workspace", async () => {
    const fixture = await makeFixture();
    const own = await fixture.ownHooks(hook("g"));
    await symlink(own, join(fixture.globalDir, "hooks.json"));
    await expect(fixture.open({ trust: "run" })).rejects.toEqual(refusal("unsafe_global_directory", "link"));
  });

  it.each([0o770, 0o707, 0o777])(
    "that others may write to (mode %o), or whose file they may",
    async (mode) => {
      const fixture = await makeFixture();
      const file = await fixture.globalHooks(hook("g"));
      await chmod(file, 0o622);
      await expect(fixture.open()).rejects.toEqual(refusal("unsafe_global_directory", file));
      await chmod(file, 0o600);
      expect(names(await fixture.open())).toEqual(["g"]);
      await chmod(fixture.globalDir, mode);
      await expect(fixture.open()).rejects.toEqual(
        refusal("unsafe_global_directory", "others than its owner"),
      );
    },
  );

  it.runIf(process.getuid?.() === 0)("that belongs to another user", async () => {
    const fixture = await makeFixture();
    await fixture.globalHooks(hook("g"));
    await chown(fixture.globalDir, 12345, 12345);
    await expect(fixture.open()).rejects.toEqual(refusal("unsafe_global_directory", "another user"));
  });
});
