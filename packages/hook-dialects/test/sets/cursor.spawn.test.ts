import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callOf, makeFixture } from "../support/fixture.ts";
import { ALLOWED, askBoth, DENIED, denied, failed } from "../support/outcomes.ts";

const CURSOR = ".cursor/hooks.json";
const run = (...argv: string[]) => ["run", { argv }] as const;
const flat = (hooks: Record<string, Record<string, unknown>[]>) => ({ version: 1, hooks });
const askedFor = (reason: string, hook: string) =>
  denied(`it wants a person to be asked, and nobody can be asked here: ${reason}`, hook);

describe("the public sets for Cursor", () => {
  it("9 a rewriter gives a part of the input, also when it asks, and an empty object otherwise", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "rewrite.sh",
      `#!/bin/bash
case $(cat) in
  *'"command":"git push'*) permission=ask;;
  *'"command":"git '*) permission=allow;;
  *) echo '{}'; exit 0;;
esac
printf '{"continue":true,"permission":"%s","updated_input":{"command":"rtk git"}}' "$permission"`,
    );
    await fixture.settings(CURSOR, flat({ preToolUse: [{ command: "./rewrite.sh", matcher: "Shell" }] }));
    const askPerson = () => true;
    const push = ["run", { argv: ["git", "push"], timeout_ms: 5 }] as const;
    const rewritten = {
      decision: "modify",
      input: { argv: ["/bin/sh", "-c", "rtk git"], timeout_ms: 5 },
    };
    expect(await fixture.ask("run", { argv: ["git", "log"], timeout_ms: 5 })).toMatchObject(rewritten);
    expect(await fixture.ask(...run("ls"))).toEqual(ALLOWED);
    // Cursor does not enforce its ask before a tool.
    expect(await askBoth(fixture, push)).toMatchObject({ hardened: DENIED, faithful: rewritten });
    expect(await fixture.ask(...push, { askPerson })).toMatchObject(rewritten);
  });

  it("13 guards of git speak the old words and do not expand them; an audit says nothing", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "hooks/block-git.sh",
      `#!/bin/bash
case $(cat) in
  *'"command":"git '*) cat <<'DENY'
{
  "continue": true,
  "permission": "deny",
  "userMessage": "use gh",
  "agentMessage": "blocked: '$command'"
}
DENY
  ;;
  *'"command":"gh '*) echo '{"continue":true,"permission":"ask","userMessage":"gh wants a yes: $command"}';;
  *) echo '{"continue":true,"permission":"allow"}';;
esac`,
    );
    await fixture.file("hooks/audit.sh", "#!/bin/bash\ncat >> audit.log; exit 0");
    const audit = { command: "./hooks/audit.sh" };
    await fixture.settings(
      CURSOR,
      flat({
        beforeShellExecution: [audit, { command: "./hooks/block-git.sh" }],
        beforeReadFile: [{ command: "./hooks/redact-secrets.sh" }],
        afterFileEdit: [{ command: "cat > edit.json; echo formatted" }, audit],
        stop: [audit],
      }),
    );
    await expect(fixture.open()).rejects.toMatchObject({
      code: "unsupported_entry",
      details: { entries: [{ pointer: "/hooks/beforeReadFile/0" }, { pointer: "/hooks/stop/0" }] },
    });
    const leaveOut = ["beforeReadFile", "stop"];
    const { chain } = await fixture.open({ leaveOut });
    const guard = "cursor beforeShellExecution 2";
    expect(await chain.beforeCall(callOf(...run("git", "push")))).toEqual(denied("use gh", guard));
    expect(await chain.beforeCall(callOf(...run("ls")))).toEqual(ALLOWED);
    expect(await chain.beforeCall(callOf("read", { path: "git " }))).toEqual(ALLOWED);
    const waits = askedFor("gh wants a yes: $command", guard);
    expect(await askBoth(fixture, run("gh", "pr"), { leaveOut })).toEqual({
      hardened: waits,
      faithful: waits,
    });
    const write = callOf("write", { path: "a.ts", content: "x" });
    expect(await chain.afterCall(write, { output: "done", isError: false })).toEqual(ALLOWED);
    const edit: unknown = JSON.parse(await readFile(`${fixture.workspace}/edit.json`, "utf8"));
    expect(edit).toMatchObject({
      hook_event_name: "afterFileEdit",
      file_path: `${fixture.workspace}/a.ts`,
      edits: [{ old_string: "", new_string: "x" }],
    });
    const seen = (await readFile(`${fixture.workspace}/audit.log`, "utf8")).trim().split("\n");
    expect(seen).toHaveLength(5);
    expect(seen[0]).toContain('"command":"git push"');
  });

  it("18 guards of kubectl and git print a denial and exit with 1, which Cursor lets pass", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "hooks/kubectl.sh",
      `#!/bin/bash
case $(cat) in
  *'kubectl delete'* | *'kubectl apply'*) echo '{"permission":"deny","userMessage":"use /k8s-check"}'; exit 1;;
esac
echo '{"permission":"allow"}'`,
    );
    await fixture.file(
      "hooks/git.sh",
      `#!/bin/bash
grep -q 'git reset --hard' && { echo '{"permission":"deny","userMessage":"stash first"}'; exit 0; }
echo '{"permission":"allow"}'`,
    );
    const settings = (more = {}) =>
      flat({
        beforeShellExecution: [{ command: "./hooks/kubectl.sh", ...more }, { command: "./hooks/git.sh" }],
        beforeSubmitPrompt: [{ command: "./hooks/suggest.sh" }],
      });
    const leaveOut = ["beforeSubmitPrompt"];
    await fixture.settings(CURSOR, settings());
    await expect(fixture.open()).rejects.toMatchObject({ code: "unsupported_entry" });
    const deletes = run("kubectl", "delete", "pod");
    const failure = failed("exited with code 1", "cursor beforeShellExecution 1");
    expect(await askBoth(fixture, deletes, { leaveOut })).toEqual({ hardened: failure, faithful: ALLOWED });
    expect(await askBoth(fixture, run("kubectl", "get"), { leaveOut })).toEqual({
      hardened: ALLOWED,
      faithful: ALLOWED,
    });
    expect(await fixture.ask(...run("git", "reset", "--hard"), { leaveOut })).toEqual(
      denied("stash first", "cursor beforeShellExecution 2"),
    );
    await fixture.settings(CURSOR, settings({ failClosed: true }));
    expect(await fixture.ask(...deletes, { leaveOut, level: "faithful" })).toEqual(failure);
  });
});
