import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectTrust, readTrust, trustWorkspace } from "../../src/trust/index.ts";
import { answering, makeTrustFixture, type TrustFixture } from "./trust-fixture.ts";

async function withScripts(): Promise<TrustFixture> {
  const fixture = await makeTrustFixture();
  const script = answering({ decision: "allow" });
  for (const name of ["guard.mjs", "guard.js", "sub/guard.sh", "guard.py", "rules.json"])
    await fixture.write(`workspace/${name}`, script);
  await fixture.write("workspace/package.json", '{"type":"module"}');
  await fixture.write("workspace/plain.sh", "#!/bin/sh -e\n", 0o755);
  await fixture.write("workspace/env.mjs", "#!/usr/bin/env node\n", 0o755);
  await fixture.write("workspace/npx.mjs", "#!/usr/bin/env npx\n", 0o755);
  await fixture.write("workspace/split.mjs", "#!/usr/bin/env -S node --import ./x.mjs\n", 0o755);
  await fixture.write("workspace/own.sh", "#!./plain.sh\n", 0o755);
  await fixture.write("workspace/binary", "\x7fELF", 0o755);
  await fixture.write("elsewhere/python3", "\x7fELF", 0o755);
  await fixture.write("elsewhere/sometool", "\x7fELF", 0o755);
  await mkdir(join(fixture.workspace, "venv"));
  await symlink(process.execPath, join(fixture.workspace, "venv/node"));
  return fixture;
}

const node = process.execPath;

// S8
describe("an entry's code is pinned", () => {
  it.each<readonly [readonly string[], string, readonly string[]]>([
    [[node, "guard.mjs"], "host", ["guard.mjs"]],
    [[node, "./guard.js", "--verbose", "rules.json"], "host", ["guard.js", "package.json", "rules.json"]],
    [["sh", "-eu", "sub/guard.sh"], "/usr/bin/sh", ["sub/guard.sh"]],
    [["sh", "--", "sub/guard.sh"], "/usr/bin/sh", ["sub/guard.sh"]],
    [["/bin/sh", "sub/guard.sh"], "/bin/sh", ["sub/guard.sh"]],
    [["./plain.sh"], "file", ["plain.sh"]],
    [["./env.mjs", "x"], "file", ["env.mjs"]],
    [["./binary", "rules.json"], "file", ["binary", "rules.json"]],
    [["true"], "/usr/bin/true", []],
  ])("%j", async (command, program, files) => {
    const fixture = await withScripts();
    await fixture.ownHooks({ name: "g", command });
    await fixture.trust();
    const [record] = await readTrust({ trustFile: fixture.trustFile });
    const pin = record!.entries[0]!;
    expect(pin).toMatchObject({ program, unpinned: [] });
    expect(pin.files.map(({ path }) => path)).toEqual(files);
  });
});

describe("an entry's code cannot be pinned", () => {
  it.each<readonly [readonly string[], RegExp]>([
    [["npx", "guard"], /there is no program 'npx'|package runner/],
    [[node, "-e", "1"], /node -e' takes its code from elsewhere/],
    [[node, "--eval", "1"], /--eval/],
    [[node, "--import", "./x.mjs", "guard.mjs"], /--import/],
    [[node, "-"], /node -'/],
    [[node], /reads its code from standard input/],
    [[node, "gone.mjs"], /there is no file 'gone\.mjs'/],
    [["sh", "-c", "./plain.sh"], /sh -c'/],
    [["sh", "-s"], /sh -s'/],
    [["sh"], /standard input/],
    [["env", "node", "guard.mjs"], /'env' is a program that chooses its code/],
    [["sometool", "guard.mjs"], /outside the system's directories/],
    [["python3", "guard.py"], /outside the system's directories/],
    [["./npx.mjs"], /its first line/],
    [["./split.mjs"], /its first line/],
    [["./own.sh"], /its first line starts '\.\/plain\.sh'/],
    [["./venv/node", "guard.mjs"], /a link in the workspace/],
    [["./gone"], /there is no program/],
  ])("%j, which needs a yes of its own", async (command, why) => {
    const fixture = await withScripts();
    const env = { PATH: `${fixture.root}/elsewhere:/usr/bin:/bin` };
    await fixture.ownHooks({ name: "g", command }, { name: "ok", command: ["true"] });
    const where = { workspace: fixture.workspace, trustFile: fixture.trustFile, env };
    const { entries } = await inspectTrust(where);
    expect(entries[0]!.unpinned.join()).toMatch(why);
    expect(entries[1]!.unpinned).toEqual([]);
    await expect(trustWorkspace(where)).rejects.toMatchObject({
      code: "unpinned_code",
      message: expect.stringContaining("allowUnpinned"),
      details: { unpinned: [expect.stringMatching(/^hook 'g': /)] },
    });
    expect(await trustWorkspace({ ...where, allowUnpinned: true })).toMatchObject({ state: "trusted" });
    expect((await fixture.open({ env })).participants).toHaveLength(2);
  });

  it.each(["NODE_OPTIONS", "LD_PRELOAD", "PYTHONPATH", "BASH_ENV"])("with %s in its env", async (name) => {
    const fixture = await withScripts();
    await fixture.ownHooks({ name: "g", command: [node, "guard.mjs"], env: [name] });
    await expect(fixture.trust()).rejects.toMatchObject({ code: "unpinned_code" });
    await fixture.ownHooks({ name: "g", command: [node, "guard.mjs"], env: ["CI"] });
    expect(await fixture.trust()).toMatchObject({ state: "trusted" });
  });
});

// S8
describe("a program found elsewhere than when it was trusted", () => {
  it("refuses, and one in the workspace is never found", async () => {
    const fixture = await withScripts();
    await fixture.ownHooks({ name: "g", command: ["sh", "sub/guard.sh"] });
    await fixture.trust();
    await fixture.write("workspace/node_modules/.bin/sh", "#!/bin/sh\n", 0o755);
    await fixture.write("workspace/sh", "#!/bin/sh\n", 0o755);
    const bin = join(fixture.workspace, "node_modules/.bin");
    for (const PATH of [`${bin}:/usr/bin:/bin`, ".::/usr/bin:/bin", `${fixture.workspace}:/usr/bin`])
      expect((await fixture.open({ env: { PATH } })).participants).toHaveLength(1);
    await fixture.write("evil/sh", "#!/bin/sh\n", 0o755);
    const env = { PATH: `${fixture.root}/evil:/usr/bin:/bin` };
    await expect(fixture.open({ env })).rejects.toMatchObject({
      code: "modified_workspace",
      message: expect.stringContaining(`its program was '/usr/bin/sh' and is '${fixture.root}/evil/sh'`),
    });
  });
});
