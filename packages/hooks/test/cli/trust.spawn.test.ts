import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openHooks } from "../../src/node/index.ts";
import { readTrust } from "../../src/trust/index.ts";
import { answeringScript, entry, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
  await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
  await fixture.ownHooks({ name: "guard", command: ["./guard.sh"], tools: ["run"] });
});

const records = async () => {
  const { trustFile, workspace } = fixture;
  return readTrust({ trustFile, workspace }).catch(() => []);
};

describe("basis-hooks trust", () => {
  it("shows what would be trusted, records a yes, and a host then opens the hooks", async () => {
    // S3
    const { workspace, globalDir, trustFile, env } = fixture;
    const before = await fixture.run(["trust", "--status"]);
    expect(before.code).toBe(1);
    expect(before.stdout).toMatch(
      /hook 'guard' {2}untrusted[\s\S]*runs +\.\/guard\.sh[\s\S]*guard\.sh {2}sha256:/,
    );
    const { code, stdout } = await fixture.run(["trust", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`trusted: recorded in ${trustFile}`);
    expect((await stat(trustFile)).mode & 0o777).toBe(0o600);
    const hooks = await openHooks({ workspace, globalDir, trustFile, env });
    expect(hooks.participants).toMatchObject([{ name: "guard" }]);
    await hooks.close();
    expect((await fixture.run(["trust", "--status"])).code).toBe(0);
    expect((await fixture.run(["trust"])).code).toBe(0);
  });

  it("says what changed since, and trusts it anew", async () => {
    await fixture.run(["trust", "--yes"]);
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "deny" }), 0o700);
    const { document } = await fixture.json(["trust", "--status"]);
    expect(document).toMatchObject({
      state: "modified",
      entries: [{ name: "guard", state: "modified", why: "guard.sh changed", files: [{ path: "guard.sh" }] }],
    });
    expect(await fixture.json(["trust", "--yes"])).toMatchObject({ code: 0, document: { state: "trusted" } });
  });

  it("needs --yes where there is no terminal, and grants nothing without", async () => {
    // S6
    const { code, stderr } = await fixture.run(["trust"], { stdin: "yes\n" });
    expect(code).toBe(5);
    expect(stderr).toContain("nobody can be asked here");
    expect(await records()).toEqual([]);
    expect((await fixture.run(["trust", "--yes"])).code).toBe(0);
    expect(await records()).toHaveLength(1);
  });

  it.each([
    ["grants", ["trust", "--yes"]],
    ["revokes", ["trust", "--revoke", "--yes"]],
  ])("refuses a program that an agent started and that %s", async (_, argv) => {
    // S6; the mark counts whatever its value
    await fixture.run(["trust", "--yes"]);
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "deny" }), 0o700);
    const before = await readFile(fixture.trustFile, "utf8");
    for (const mark of ["1", ""]) {
      const { code, stderr } = await fixture.run(argv, { env: { BASIS_LINEAGE: mark } });
      expect(code).toBe(5);
      expect(stderr).toContain("started by an agent");
    }
    expect(await readFile(fixture.trustFile, "utf8")).toBe(before);
    const shown = await fixture.run(["trust", "--status"], { env: { BASIS_LINEAGE: "1" } });
    expect(shown).toMatchObject({ code: 1, stderr: "" });
    expect((await fixture.run(argv)).code).toBe(0);
  });

  it("refuses below an agent's program although the mark was taken off", async () => {
    // S6
    const line = 'env -u BASIS_LINEAGE "$@"; exit $?';
    const argv = ["-c", line, "sh", process.execPath, entry, "trust", "--yes"];
    const runBelow = (mark: object): SpawnSyncReturns<string> =>
      spawnSync("/bin/sh", argv, {
        cwd: fixture.workspace,
        env: { ...fixture.env, ...mark },
        encoding: "utf8",
      });
    const refused = runBelow({ BASIS_LINEAGE: "1" });
    expect(refused).toMatchObject({ status: 5, stderr: expect.stringContaining("started by an agent") });
    expect(await records()).toEqual([]);
    expect(runBelow({})).toMatchObject({ status: 0 });
    expect(await records()).toHaveLength(1);
  });

  it("trusts exactly what was reviewed", async () => {
    const { document } = await fixture.json(["trust", "--status"]);
    const { digest } = document as { digest: string };
    const refused = await fixture.run(["trust", "--yes", "--digest", "sha256:0"]);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("was asked for") });
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "deny" }), 0o700);
    expect((await fixture.run(["trust", "--yes", "--digest", digest])).code).toBe(5);
    expect(await records()).toEqual([]);
    await fixture.write("workspace/guard.sh", answeringScript({ decision: "allow" }), 0o700);
    expect((await fixture.run(["trust", "--yes", "--digest", digest])).code).toBe(0);
  });

  it("needs another word for code that cannot be pinned", async () => {
    // S8
    await fixture.ownHooks({ name: "inline", command: ["/bin/sh", "-c", "echo"] });
    const { code, stderr, stdout } = await fixture.run(["trust", "--yes"]);
    expect(code).toBe(5);
    expect(stdout).toContain("unpinned");
    expect(stderr).toContain("--allow-unpinned");
    expect(await records()).toEqual([]);
    expect((await fixture.run(["trust", "--yes", "--allow-unpinned"])).code).toBe(0);
  });

  it("forgets a workspace, and says when there was nothing to forget", async () => {
    await fixture.run(["trust", "--yes"]);
    const asked = await fixture.run(["trust", "--revoke"]);
    expect(asked.code).toBe(5);
    expect(await records()).toHaveLength(1);
    expect(await fixture.json(["trust", "--revoke", "--yes"])).toMatchObject({
      code: 0,
      document: { revoked: true },
    });
    expect(await records()).toEqual([]);
    expect((await fixture.run(["trust", "--revoke", "--yes"])).stdout).toContain("it was not trusted");
  });

  it("keeps the record where it is told, but not in the workspace", async () => {
    const elsewhere = join(fixture.root, "elsewhere", "trust.json");
    expect((await fixture.run(["trust", "--yes", "--trust-file", elsewhere])).code).toBe(0);
    expect((await fixture.run(["trust", "--status", "--trust-file", elsewhere])).code).toBe(0);
    const inside = await fixture.run(["trust", "--yes", "--trust-file", "trust.json"]);
    expect(inside).toMatchObject({ code: 5, stderr: expect.stringContaining("inside the workspace") });
  });

  it("has nothing to ask about a workspace without hooks", async () => {
    const { code, stdout } = await fixture.run(["trust", "--workspace", fixture.globalDir]);
    expect(code).toBe(0);
    expect(stdout).toContain("there are no hooks to trust");
  });
});
