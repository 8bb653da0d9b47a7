import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openHooks } from "@basis/hooks/node";
import { trustWorkspace } from "@basis/hooks/trust";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "../support/fixture.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/cli/basis-hook-dialects.js", import.meta.url));
const run = async (cwd: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [PROGRAM, ...args], { cwd }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  );

/** A chain of native hooks that were imported from Claude's settings. */
async function imported(hooks: readonly object[]) {
  const fixture = await makeFixture();
  const { workspace, trustFile, reports } = fixture;
  await fixture.settings(CLAUDE, { hooks: { PreToolUse: [{ hooks }] } });
  await run(workspace, "import");
  await trustWorkspace({ workspace, trustFile });
  const report = (message: string): void => void reports.push(message);
  const chain = await openHooks({ workspace, trustFile, report });
  onTestFinished(() => chain.close());
  return { workspace, chain };
}

describe("import", () => {
  it("tells its release and how it is used", async () => {
    const { workspace } = await makeFixture();
    const { version } = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { version: string };
    expect(await run(workspace, "--version")).toEqual({ code: 0, text: `${version}\n` });
    expect((await run(workspace, "--help")).text).toContain("basis-hook-dialects import");
    expect(await run(workspace, "imports")).toMatchObject({ code: 2 });
  });

  it("writes native hooks that trust pins whole, and that answer without the package", async () => {
    const fixture = await makeFixture();
    const { workspace, trustFile, reports } = fixture;
    await fixture.file("guard.sh", `#!/bin/sh\nif grep -q '"command":"rm'; then echo no >&2; exit 2; fi`);
    await fixture.settings(CLAUDE, claudeSettings("./guard.sh", { matcher: "Bash", timeout: 30 }));
    await fixture.settings(".cursor/hooks.json", {
      version: 1,
      hooks: { preToolUse: [{ command: `grep -q boom && exit 1; exit 0` }] },
    });
    await fixture.settings(".basis/hooks.json", {
      schema: 1,
      hooks: [{ name: "own", command: ["true"], tools: [] }],
    });
    const names = ["claude PreToolUse 1.1", "cursor preToolUse 1"];
    expect(await run(workspace, "import")).toEqual({
      code: 0,
      text: names.map((name) => `imported ${name}\n`).join(""),
    });
    expect((await run(workspace, "import")).code).toBe(0);
    const written = JSON.parse(await readFile(`${workspace}/.basis/hooks.json`, "utf8"));
    expect(written.hooks.map(({ name }: { name: string }) => name)).toEqual(["own", ...names]);

    await trustWorkspace({ workspace, trustFile });
    const report = (message: string): void => void reports.push(message);
    const chain = await openHooks({ workspace, trustFile, report });
    onTestFinished(() => chain.close());
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    expect(await chain.beforeCall(callOf("run", { argv: ["rm", "x"] }))).toEqual({
      decision: "deny",
      reason: "denied by hook 'claude PreToolUse 1.1': no",
    });
    expect(await chain.beforeCall(callOf("run", { argv: ["boom"] }))).toMatchObject({
      reason: "hook 'cursor preToolUse 1' could not answer and denies on failure: exited with code 1",
    });
    await fixture.file("guard.sh", "#!/bin/sh\nexit 0");
    expect(await chain.beforeCall(callOf("run", { argv: ["rm"] }))).toMatchObject({ decision: "deny" });
  });

  const failed = "hook 'claude PreToolUse 1.1' could not answer and denies on failure: exited with code 1";
  const allow = { decision: "allow" };
  it.each<readonly [string, string, object]>([
    [
      "an answer with a key twice",
      `printf '{"decision":"block","decision":"approve"}'`,
      { decision: "deny", reason: failed },
    ],
    ["bytes that are no text", `printf 'fine \\377'`, { decision: "deny", reason: failed }],
    [
      "a denial in another tool's words",
      `printf '{"permission":"deny","user_message":"no"}'`,
      { decision: "deny", reason: "denied by hook 'claude PreToolUse 1.1': no" },
    ],
    ["a child that holds the pipe", "sleep 30 & exit 0", allow],
    ["words alone", "echo 'a \"b\": c'", allow],
  ])("answers as a hardened chain does: %s", async (_what, line, expected) => {
    const { chain } = await imported([{ type: "command", command: line, timeout: 10 }]);
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual(expected);
  });

  it("starts a hook of the background, and does not wait for it or for what it says", async () => {
    const command = `read -r request; sleep 0.3; echo no; printf %s "$request" >told; exit 2`;
    const { workspace, chain } = await imported([{ type: "command", command, async: true }]);
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    await vi.waitFor(async () => {
      expect(await readFile(`${workspace}/told`, "utf8")).toContain('"command":"ls"');
    }, 5000);
  });

  it("writes over no settings that it cannot read", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("true"));
    await mkdir(`${fixture.workspace}/.basis/hooks.json`, { recursive: true });
    expect(await run(fixture.workspace, "import")).toMatchObject({
      code: 1,
      text: expect.stringContaining("cannot be read (EISDIR)"),
    });
  });

  it("refuses what cannot be imported whole, and wrong arguments, writing nothing", async () => {
    const fixture = await makeFixture();
    const { workspace } = fixture;
    await fixture.settings(CLAUDE, claudeSettings("true", { event: "Stop" }));
    expect(await run(workspace, "import")).toMatchObject({
      code: 1,
      text: expect.stringContaining("/hooks/Stop/0/hooks/0"),
    });
    expect(await run(workspace, "export")).toMatchObject({ code: 2 });
    await expect(readFile(`${workspace}/.basis/hooks.json`)).rejects.toThrow("ENOENT");
    expect((await run(workspace, "import", "--leave-out", "Stop")).code).toBe(0);
    await rm(`${workspace}/.basis`, { recursive: true });
  });
});
