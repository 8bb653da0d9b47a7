import { readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectTrust, readTrust, revokeTrust, trustWorkspace } from "../../src/trust/index.ts";
import { answering, makeTrustFixture } from "./trust-fixture.ts";

const guard = { name: "guard", command: [process.execPath, "guard.mjs"] };
const allow = answering({ decision: "allow" });

async function trusted() {
  const fixture = await makeTrustFixture();
  await fixture.write("workspace/guard.mjs", allow);
  await fixture.ownHooks(guard);
  await fixture.trust();
  return fixture;
}

describe("a record of trust", () => {
  it("turns an untrusted workspace into a trusted one, and is forgotten when it is revoked", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", allow);
    await fixture.ownHooks(guard);
    expect(await fixture.inspect()).toMatchObject({
      state: "untrusted",
      entries: [{ name: "guard", state: "untrusted", why: "nobody has trusted it", unpinned: [] }],
    });
    await expect(fixture.open()).rejects.toMatchObject({ code: "untrusted_workspace" });
    const report = await fixture.trust();
    expect(report).toMatchObject({ state: "trusted", workspace: fixture.workspace });
    expect(await fixture.inspect()).toEqual(report);
    expect((await fixture.open()).participants.map(({ name }) => name)).toEqual(["guard"]);
    const { trustFile, workspace } = fixture;
    expect(await revokeTrust({ trustFile, workspace })).toBe(true);
    expect(await revokeTrust({ trustFile, workspace })).toBe(false);
    await expect(fixture.open()).rejects.toMatchObject({ code: "untrusted_workspace" });
  });

  it("is a file of the user's alone that says what was pinned", async () => {
    const { trustFile, workspace } = await trusted();
    expect((await stat(trustFile)).mode & 0o777).toBe(0o600);
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(await readTrust({ trustFile, workspace })).toEqual([
      {
        workspace,
        entries: [
          {
            name: "guard",
            digest,
            settings: expect.objectContaining({
              timeout_ms: 5000,
              on_failure: "deny",
              tools: null,
              files: [],
            }),
            program: "host",
            files: [{ path: "guard.mjs", digest }],
            unpinned: [],
          },
        ],
      },
    ]);
    expect(await readTrust({ trustFile, workspace: "/elsewhere" })).toEqual([]);
    expect(await readTrust({ trustFile })).toHaveLength(1);
  });

  it("belongs to the workspace's real path: a link to it is the same one, another folder is not", async () => {
    const fixture = await trusted();
    const link = join(fixture.root, "link");
    await symlink(fixture.workspace, link);
    expect((await fixture.open({ workspace: link })).participants).toHaveLength(1);
    const { trustFile, env } = fixture;
    expect(await inspectTrust({ workspace: link, trustFile, env })).toMatchObject({ state: "trusted" });
    await rm(link);
    await rename(fixture.workspace, join(fixture.root, "other"));
    await symlink(join(fixture.root, "other"), fixture.workspace);
    await expect(fixture.open()).rejects.toMatchObject({ code: "untrusted_workspace" });
  });

  it("is for what was shown, when the digest of that is given", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", allow);
    await fixture.ownHooks(guard);
    const { digest } = await fixture.inspect();
    const { workspace, trustFile, env } = fixture;
    await fixture.write("workspace/guard.mjs", `${allow}//`);
    const say = trustWorkspace({ workspace, trustFile, env, digest });
    await expect(say).rejects.toMatchObject({ code: "modified_workspace" });
    await fixture.write("workspace/guard.mjs", allow);
    expect(await trustWorkspace({ workspace, trustFile, env, digest })).toMatchObject({ state: "trusted" });
  });

  it("is not made while a file to be pinned cannot be read", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", allow);
    await fixture.ownHooks({ ...guard, files: ["rules.json"] });
    await expect(fixture.trust()).rejects.toMatchObject({
      code: "unreadable_file",
      message: expect.stringContaining("hook 'guard'"),
      details: { path: "rules.json" },
    });
    await fixture.write("workspace/rules.json", "{}");
    expect(await fixture.trust()).toMatchObject({ state: "trusted" });
  });

  it("of a workspace without hooks is none", async () => {
    const fixture = await trusted();
    await fixture.ownHooks();
    expect(await fixture.trust()).toMatchObject({ state: "trusted", entries: [] });
    expect(await readTrust({ trustFile: fixture.trustFile })).toEqual([]);
    expect((await fixture.open()).participants).toEqual([]);
  });
});

describe("a file of trust that cannot be used refuses, naming the remedy:", () => {
  it.each([
    ["no JSON", "{"],
    ["another schema", '{"schema":2,"workspaces":[]}'],
    ["no schema", '{"workspaces":[]}'],
    ["no list", '{"schema":1,"workspaces":{}}'],
    ["a record that is none", '{"schema":1,"workspaces":[null]}'],
    ["an entry that is none", '{"schema":1,"workspaces":[{"workspace":"/w","entries":[{"name":"g"}]}]}'],
    ["empty", ""],
  ])("%s", async (_name, text) => {
    const fixture = await trusted();
    const whole = await readFile(fixture.trustFile, "utf8");
    await writeFile(fixture.trustFile, text);
    const refusal = {
      code: "invalid_trust_file",
      message: expect.stringMatching(/trust\.json .*delete it to start anew$/),
      details: { path: fixture.trustFile },
    };
    for (const trust of ["refuse", "skip", "run"] as const)
      await expect(fixture.open({ trust })).rejects.toMatchObject(refusal);
    await expect(fixture.trust()).rejects.toMatchObject(refusal);
    await expect(fixture.inspect()).rejects.toMatchObject(refusal);
    expect(await readFile(fixture.trustFile, "utf8")).toBe(text);
    await writeFile(fixture.trustFile, whole);
    expect((await fixture.open()).participants).toHaveLength(1);
  });

  it("one that cannot be written, or beside which no copies can be made", async () => {
    const fixture = await trusted();
    const trustFile = join(await fixture.write("a-file", ""), "trust.json");
    const { workspace, env } = fixture;
    const written = trustWorkspace({ workspace, trustFile, env });
    await expect(written).rejects.toMatchObject({ code: "invalid_trust_file" });
    await fixture.write("state/hook-code", "in the way");
    await expect(fixture.open()).rejects.toMatchObject({
      code: "invalid_trust_file",
      message: expect.stringContaining("none can be made in"),
    });
    await rm(join(fixture.root, "state/hook-code"));
    expect((await fixture.open()).participants).toHaveLength(1);
  });

  // S21
  it("one that others may write to, that is relative, or that lies in the workspace", async () => {
    const fixture = await trusted();
    const text = await readFile(fixture.trustFile, "utf8");
    const open = await fixture.write("state/open.json", text, 0o666);
    const inside = await fixture.write("workspace/trust.json", text);
    const link = join(fixture.root, "linked.json");
    await symlink(inside, link);
    const intoIt = join(fixture.root, "into");
    await symlink(fixture.workspace, intoIt);
    for (const trustFile of [open, inside, link, join(intoIt, "new.json"), "trust.json"])
      await expect(fixture.open({ trustFile })).rejects.toMatchObject({ code: "invalid_trust_file" });
    const closed = await fixture.write("state/closed.json", text, 0o600);
    expect((await fixture.open({ trustFile: closed })).participants).toHaveLength(1);
  });
});
