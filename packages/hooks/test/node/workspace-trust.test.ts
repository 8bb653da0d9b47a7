import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { TrustCandidate } from "../../src/node/index.ts";
import { inspectTrust } from "../../src/trust/index.ts";
import { makeFixture } from "./workspace-fixture.ts";

const hook = (name: string) => ({ name, command: ["true"] });

describe("a workspace's hooks", () => {
  it("are refused by default, naming the file and the remedy", async () => {
    // S3
    const fixture = await makeFixture();
    const path = await fixture.ownHooks(hook("own"));
    await expect(fixture.open()).rejects.toMatchObject({
      code: "untrusted_workspace",
      message: expect.stringContaining(`${path} is not trusted`),
      details: { path, workspace: fixture.workspace, names: ["own"] },
    });
    await expect(fixture.open()).rejects.toThrow('trust: "run"');
  });

  it("are left out with a report by skip, and run by run", async () => {
    const fixture = await makeFixture();
    const path = await fixture.ownHooks(hook("a"), hook("b"));
    await fixture.globalHooks(hook("global"));
    const skipping = await fixture.open({ trust: "skip" });
    expect(skipping.participants.map(({ name }) => name)).toEqual(["global"]);
    expect(fixture.reports).toEqual([`${path} is not trusted; its hooks do not run: 'a', 'b'`]);
    const running = await fixture.open({ trust: "run" });
    expect(running.participants.map(({ name }) => name)).toEqual(["global", "a", "b"]);
    expect(fixture.reports).toHaveLength(1);
  });

  it("run when the host says that this very code is trusted", async () => {
    const fixture = await makeFixture();
    const script = "workspace/own.sh";
    await fixture.write(script, "#!/bin/sh\n", 0o755);
    const path = await fixture.ownHooks(
      { name: "own", command: ["./own.sh"] },
      { name: "x", command: ["sh"] },
    );
    const { workspace } = fixture;
    const env = { PATH: process.env["PATH"] };
    const trustFile = join(fixture.root, "trust.json");
    const { digest } = await inspectTrust({ workspace, trustFile, env });
    const isTrusted = vi.fn(async (candidate: TrustCandidate) => candidate.digest === digest);
    expect((await fixture.open({ isTrusted })).participants).toHaveLength(2);
    expect(isTrusted).toHaveBeenCalledWith({
      workspace,
      path,
      digest,
      unpinned: ["hook 'x': 'sh' without a file reads its code from standard input"],
    });
    await expect(fixture.open({ isTrusted: () => "yes" as never })).rejects.toMatchObject({
      code: "untrusted_workspace",
    });
    await fixture.write(script, "#!/bin/sh\nexit 1\n", 0o755);
    await expect(fixture.open({ isTrusted })).rejects.toMatchObject({ code: "untrusted_workspace" });
  });

  it("need no trust when there are none", async () => {
    const fixture = await makeFixture();
    await fixture.ownHooks();
    expect((await fixture.open()).participants).toEqual([]);
  });
});

describe("knownTools", () => {
  it("makes a filter that matches no tool there is a warning", async () => {
    // H55
    const fixture = await makeFixture();
    await fixture.globalHooks(
      { ...hook("typo"), tools: ["rum", "read"] },
      { ...hook("glob"), tools: ["mcp_*", "wr*"] },
      hook("all"),
    );
    const knownTools = ["run", "read", "write"];
    const interceptors = [{ name: "i", tools: ["x1"], intercept: () => ({ decision: "allow" }) as const }];
    await fixture.open({ knownTools, interceptors });
    expect(fixture.reports).toEqual([
      "interceptor 'i' is for the tool 'x1', and there is none of that name",
      "hook 'typo' is for the tool 'rum', and there is none of that name; did you mean 'run'?",
      "hook 'glob' is for the tool 'mcp_*', and there is none of that name",
    ]);
    await fixture.open();
    expect(fixture.reports).toHaveLength(3);
  });
});
