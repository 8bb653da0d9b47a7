import { chmod } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { answeringScript, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
});

describe("basis-hooks lint", () => {
  it("finds nothing wrong with a chain that can run", async () => {
    await fixture.globalHooks({ name: "operator", command: ["true"], tools: ["run"] });
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    const { code, stdout } = await fixture.run(["lint", "--strict", "--tools", "run,read"]);
    expect(stdout).toBe("2 files, 2 hooks: nothing wrong\n");
    expect(code).toBe(0);
  });

  it("names every error of every file with line and pointer, and exits with 1", async () => {
    await fixture.write("config/hooks.json", '{ "schema": 1,\n "hoks": [],\n "hooks": [] }');
    await fixture.write(
      "workspace/.basis/hooks.json",
      '{ "schema": 1, "hooks": [\n{ "name": "a", "command": ["true"], "tols": [] },\n{ "name": "b", "timeout_ms": 0 }] }',
    );
    const { code, document } = await fixture.json(["lint"]);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      errors: 4,
      files: [
        { findings: [{ line: 2, pointer: "/hoks", message: expect.stringContaining("'hooks'") }] },
        {
          findings: [
            { line: 2, pointer: "/hooks/0/tols", message: expect.stringContaining("did you mean 'tools'?") },
            { line: 3, pointer: "/hooks/1", message: "a hook needs 'command'" },
            { line: 3, pointer: "/hooks/1/timeout_ms" },
          ],
        },
      ],
    });
    const { stdout } = await fixture.run(["lint"]);
    expect(stdout).toContain(".basis/hooks.json:3: error at /hooks/1/timeout_ms");
    expect(stdout).toContain("2 files, 0 hooks: 4 errors, 0 warnings");
  });

  it("warns without failing, and fails with --strict", async () => {
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"], tools: [] });
    const { code, stdout } = await fixture.run(["lint"]);
    expect(code).toBe(0);
    expect(stdout).toContain("there is no file './guard.sh'");
    expect(stdout).toContain("never asked");
    expect((await fixture.run(["lint", "--strict"])).code).toBe(1);
  });

  it("takes the known tools from a file, and says where that is wrong", async () => {
    await fixture.ownHooks({ name: "guard", command: ["true"], tools: ["rn", "run"] });
    const tools = await fixture.write("tools.json", '["run", { "name": "read" }]');
    const { stdout } = await fixture.run(["lint", "--tools-file", tools]);
    expect(stdout).toContain("'rn' matches no known tool; did you mean 'run'?");
    await fixture.write("tools.json", '["run",\n7]');
    const refused = await fixture.run(["lint", "--tools-file", tools]);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("tools.json:2: it must be") });
  });

  it("checks the files that are named, and one that is not there is an error", async () => {
    const path = await fixture.write("templates/hooks.json", '{ "schema": 1, "hooks": [] }');
    expect((await fixture.run(["lint", path])).stdout).toBe("1 file, 0 hooks: nothing wrong\n");
    const { code, stdout } = await fixture.run(["lint", path, "nowhere.json"]);
    expect(code).toBe(1);
    expect(stdout).toContain("there is no file");
  });

  it("says when there is nothing to check, and when the operator's directory is not safe", async () => {
    expect((await fixture.run(["lint"])).stdout).toContain("nothing to check");
    await fixture.globalHooks();
    await chmod(fixture.globalDir, 0o777);
    const { code, stdout } = await fixture.run(["lint"]);
    expect(code).toBe(1);
    expect(stdout).toContain("others than its owner may write to it");
  });
});
