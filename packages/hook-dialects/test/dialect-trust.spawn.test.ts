import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HookError } from "@basis/hooks";
import { describe, expect, it } from "vitest";
import { inspectDialects, revokeDialects, trustDialects } from "../src/node/index.ts";
import { callOf, CLAUDE, claudeSettings, makeFixture, type Fixture } from "./support/fixture.ts";

const COMMAND = '"${CLAUDE_PROJECT_DIR}"/guard.sh';

async function guarded(): Promise<Fixture> {
  const fixture = await makeFixture();
  await fixture.file("guard.sh", "#!/bin/sh\ncat >/dev/null; echo no >&2; exit 2");
  await fixture.settings(CLAUDE, claudeSettings(COMMAND, { matcher: "Bash" }));
  return fixture;
}

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "opened",
    (error: unknown) => (HookError.is(error) ? error.code : String(error)),
  );

describe("trust in other tools' settings", () => {
  // S3, S21
  it("is refused by default, left out or run when the host says so", async () => {
    const fixture = await guarded();
    const { trustFile } = fixture;
    expect(await codeOf(fixture.open({ trust: undefined, trustFile }))).toBe("untrusted_workspace");
    const skipped = await fixture.open({ trust: "skip", trustFile });
    expect(skipped.dialects.participants).toEqual([]);
    expect(fixture.reports).toEqual([expect.stringContaining("is not trusted; its hooks do not run")]);
    expect((await fixture.open({ trust: "run", trustFile })).dialects.participants).toHaveLength(1);
  });

  // S8
  it("of a line for a shell needs a word of its own, and pins the files that the line names", async () => {
    const fixture = await guarded();
    const { workspace, trustFile } = fixture;
    expect(await codeOf(trustDialects({ workspace, trustFile }))).toBe("unpinned_code");
    const [report] = await trustDialects({ workspace, trustFile, allowUnpinned: true });
    expect(report).toMatchObject({ path: join(workspace, CLAUDE), state: "trusted" });
    const { chain } = await fixture.open({ trust: "refuse", trustFile });
    const call = callOf("run", { argv: ["ls"] });
    expect(await chain.beforeCall(call)).toMatchObject({ reason: expect.stringContaining(": no") });
    await fixture.file("guard.sh", "#!/bin/sh\nexit 0");
    expect(await chain.beforeCall(call)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("its code is not what was trusted"),
    });
    expect(await codeOf(fixture.open({ trust: "run", trustFile }))).toBe("modified_workspace");
  });

  // S3: every single change of a trusted file refuses, in every mode.
  it.each([
    ["another command", claudeSettings("exit 0", { matcher: "Bash" })],
    ["another matcher", claudeSettings(COMMAND, { matcher: "Edit" })],
    ["another timeout", claudeSettings(COMMAND, { matcher: "Bash", timeout: 1 })],
    ["an if", claudeSettings(COMMAND, { matcher: "Bash", if: "Bash(rm:*)" })],
    ["another word on failing", claudeSettings(COMMAND, { matcher: "Bash", onFailure: "continue" })],
    ["a move to the background", claudeSettings(COMMAND, { matcher: "Bash", async: true })],
    ["another event", claudeSettings(COMMAND, { matcher: "Bash", event: "PostToolUse" })],
    ["no hook", {}],
    [
      "a switch that turns it off",
      { ...claudeSettings(COMMAND, { matcher: "Bash" }), disableAllHooks: true },
    ],
  ])("refuses %s after the yes", async (_name, changed) => {
    const fixture = await guarded();
    const { workspace, trustFile } = fixture;
    await trustDialects({ workspace, trustFile, allowUnpinned: true });
    expect((await inspectDialects({ workspace, trustFile }))[0]?.state).toBe("trusted");
    await fixture.settings(CLAUDE, changed);
    expect(await codeOf(fixture.open({ trust: "run", trustFile }))).toBe("modified_workspace");
  });

  it("of VS Code pins the lines for other systems as well", async () => {
    const fixture = await makeFixture();
    const { workspace, trustFile } = fixture;
    const lines = (windows: string) => ({
      version: 1,
      hooks: {
        PreToolUse: [{ type: "command", command: "exit 2", linux: "exit 2", osx: "exit 2", windows }],
      },
    });
    const COPILOT = ".github/hooks/guard.json";
    await fixture.settings(COPILOT, lines("exit 2"));
    await trustDialects({ workspace, trustFile, allowUnpinned: true });
    expect(await codeOf(fixture.open({ trust: "refuse", trustFile }))).toBe("opened");
    await fixture.settings(COPILOT, lines("exit 0"));
    expect(await codeOf(fixture.open({ trust: "run", trustFile }))).toBe("modified_workspace");
  });

  it("refuses a file that is gone after the yes", async () => {
    const fixture = await guarded();
    const { workspace, trustFile } = fixture;
    await trustDialects({ workspace, trustFile, allowUnpinned: true });
    await rm(join(workspace, CLAUDE));
    expect(await codeOf(fixture.open({ trust: "run", trustFile }))).toBe("modified_workspace");
    expect(await revokeDialects({ workspace, trustFile, paths: [CLAUDE] })).toBe(1);
    expect(await codeOf(fixture.open({ trust: "refuse", trustFile }))).toBe("opened");
  });
});
