import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { answeringScript, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";
import { Terminal } from "./support/terminal.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
});

const guard = { name: "guard", command: ["./guard.sh"] };

describe("basis-hooks list", () => {
  it("shows the effective chain in order, with filters, mode, place and trust", async () => {
    await fixture.globalHooks({ name: "operator", command: ["true"], on_failure: "allow" });
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
    await fixture.ownHooks(
      { ...guard, tools: ["run", "mcp_*"], input: { "/command": "git *" }, timeout_ms: 100, shadow: true },
      { name: "after", command: ["cat"], event: "post_tool_use", mode: "worker", env: ["CI"] },
    );
    const { code, document } = await fixture.json(["list"]);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      workspace: fixture.workspace,
      trust: "untrusted",
      hooks: [
        {
          position: 1,
          name: "operator",
          rank: "global",
          trust: "operator",
          on_failure: "allow",
          file: join(fixture.globalDir, "hooks.json"),
          line: 1,
        },
        {
          position: 2,
          name: "guard",
          rank: "workspace",
          trust: "untrusted",
          tools: ["run", "mcp_*"],
          input: { "/command": "git *" },
          timeout_ms: 100,
          shadow: true,
        },
        { position: 3, name: "after", event: "post_tool_use", mode: "worker", env: ["CI"] },
      ],
    });
    const { stdout } = await fixture.run(["list"]);
    expect(stdout).toContain("before 'run', 'mcp_*', if /command is like 'git *'");
    expect(stdout).toContain("in shadow");
    expect(stdout).toContain("after every tool");
    expect(stdout).toContain(`basis-hooks trust --workspace ${fixture.workspace}`);
  });

  it("names the line of each entry", async () => {
    const text = `{ "schema": 1, "hooks": [\n  ${JSON.stringify(guard)},\n\n  ${JSON.stringify(guard)} ] }`;
    await fixture.write("workspace/.basis/hooks.json", text);
    const { document } = await fixture.json(["list"]);
    expect(document).toMatchObject({ hooks: [{ line: 2 }, { line: 4 }] });
  });

  it("tells what was trusted, what changed and what is gone", async () => {
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
    await fixture.ownHooks(guard, { name: "other", command: ["true"] });
    expect((await fixture.run(["trust", "--yes"])).code).toBe(0);
    expect((await fixture.json(["list"])).document).toMatchObject({ trust: "trusted", gone: [] });
    await fixture.write("workspace/guard.sh", "#!/bin/sh\n", 0o700);
    await fixture.ownHooks(guard);
    const { document } = await fixture.json(["list"]);
    expect(document).toMatchObject({
      trust: "modified",
      hooks: [{ trust: "modified", why: expect.stringContaining("guard.sh changed") }],
      gone: ["other"],
    });
    expect((await fixture.run(["list"])).stdout).toContain("hook 'other' was trusted and is gone");
  });

  it("leaves the operator's hooks out when told to, and counts one file once", async () => {
    const path = await fixture.globalHooks({ name: "operator", command: ["true"] });
    expect((await fixture.json(["list", "--no-global"])).document).toMatchObject({ hooks: [] });
    await fixture.write("workspace/.basis/keep", "");
    await symlink(path, join(fixture.workspace, ".basis", "hooks.json"));
    expect((await fixture.json(["list"])).document).toMatchObject({ hooks: [{ rank: "global" }] });
  });

  it("refuses with 5 a file that is wrong, naming its line", async () => {
    await fixture.write("workspace/.basis/hooks.json", '{\n  "schema": 9,\n  "hooks": [] }');
    const { code, stderr } = await fixture.run(["list"]);
    expect(code).toBe(5);
    expect(stderr).toContain(".basis/hooks.json:2: schema 9 is not supported");
  });

  it("shows a hostile repository's texts escaped", async () => {
    // S12
    await fixture.ownHooks({ name: "guard", command: ["./\u001b[2Kx", "a\u202Eb"], tools: ["\u009b31m"] });
    for (const argv of [["list"], ["list", "--json"], ["lint"], ["trust", "--status"]]) {
      const { stdout } = await fixture.run(argv);
      expect(stdout).not.toMatch(/[^\P{C}\n]|\u202E/u);
    }
  });

  it("uses colours at a terminal, and none with NO_COLOR", async () => {
    await fixture.ownHooks(guard);
    const coloured = new Terminal(fixture, ["list"]);
    expect(await coloured.ended).toBe(0);
    expect(coloured.output).toContain("\u001b[31muntrusted");
    const plain = new Terminal(fixture, ["list"], { NO_COLOR: "1" });
    expect(await plain.ended).toBe(0);
    expect(plain.output).not.toContain("\u001b");
  });
});
