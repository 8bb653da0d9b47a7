import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "../support/fixture.ts";
import { ALLOWED, askBoth, DENIED, denied, failed } from "../support/outcomes.ts";

const run = (...argv: string[]) => ["run", { argv }] as const;
const command = (line: string) => ({ type: "command", command: line });

// The number before each name is the set's in the list of public scripts that this package is measured by.
describe("the public sets of guards for Claude Code", () => {
  it("1 a validator lists what is wrong with exit 2, and cannot read its input with exit 1", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "validate.sh",
      `#!/bin/bash
input=$(cat)
[[ $input == "{"* ]] || { echo "Error: no JSON" >&2; exit 1; }
found=""
[[ $input == *'"command":"find '* ]] && found+=$'• list files with rg\\n'
[[ $input == *' -name '* ]] && found+='• match names with rg -g'
[[ -z $found ]] || { printf '%s\\n' "$found" >&2; exit 2; }`,
    );
    await fixture.settings(CLAUDE, claudeSettings("./validate.sh", { matcher: "Bash" }));
    const { chain } = await fixture.open();
    expect(await chain.beforeCall(callOf(...run("find", ".", "-name", "x")))).toEqual(
      denied("• list files with rg\n• match names with rg -g"),
    );
    expect(await chain.beforeCall(callOf(...run("ls")))).toEqual(ALLOWED);
    expect(await chain.beforeCall(callOf("read", { path: "a -name b" }))).toEqual(ALLOWED);
    await fixture.settings(CLAUDE, claudeSettings("./validate.sh < /dev/null", { matcher: "Bash" }));
    expect(await askBoth(fixture, run("ls"))).toEqual({
      hardened: failed("exited with code 1"),
      faithful: ALLOWED,
    });
    expect(fixture.reports).toEqual([
      "hook 'claude PreToolUse 1.1' exited with code 1 and said: Error: no JSON",
    ]);
  });

  it("2 a rule engine always exits with 0, and its denial is explained in systemMessage alone", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "plugin/hooks/rules.sh",
      `#!/bin/bash
input=$(cat)
case $input in
  *'rm -rf'*) printf '{"hookSpecificOutput":{"hookEventName":"%s","permissionDecision":"deny"},"systemMessage":"**no rm**"}' "$1";;
  *chmod*) echo '{"systemMessage":"careful"}';;
  *) echo '{}';;
esac
exit 0`,
    );
    const line = (event: string) => ({
      hooks: [
        { type: "command", command: `bash \${CLAUDE_PLUGIN_ROOT}/hooks/rules.sh ${event}`, timeout: 10 },
      ],
    });
    const events = ["PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit"];
    const hooks = Object.fromEntries(events.map((event) => [event, [line(event)]]));
    await fixture.settings("plugin/hooks/hooks.json", { description: "rules", hooks });
    const file = { path: "plugin/hooks/hooks.json" };
    const leaveOut = ["Stop", "UserPromptSubmit"];
    await expect(fixture.open({ files: [file] })).rejects.toMatchObject({
      code: "unsupported_entry",
      details: {
        entries: [{ pointer: "/hooks/Stop/0/hooks/0" }, { pointer: "/hooks/UserPromptSubmit/0/hooks/0" }],
      },
    });
    const whole = { files: [{ ...file, pluginRoot: `${fixture.workspace}/plugin` }], leaveOut };
    const { chain } = await fixture.open(whole);
    expect(await chain.beforeCall(callOf(...run("rm", "-rf", "x")))).toEqual(denied("**no rm**"));
    expect(await chain.beforeCall(callOf(...run("chmod", "x")))).toEqual(ALLOWED);
    const after = await chain.afterCall(callOf(...run("ls")), { output: "chmod", isError: false });
    expect(after).toEqual(ALLOWED);
    // Without its plugin's directory there is no program: a guard that nobody could ask.
    expect(await askBoth(fixture, run("ls"), { files: [file], leaveOut })).toEqual({
      hardened: failed("exited with code 127"),
      faithful: ALLOWED,
    });
  });

  it("3 a launcher finds its interpreter; a write's findings stand beside it, a commit's come too late", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "plugin/find.sh",
      `#!/bin/bash
for name in basis-no-such-interpreter node; do
  command -v "$name" > /dev/null && exec "$name" "$(dirname "$0")/review.mjs" "$@"
done
exit 0`,
    );
    await fixture.file(
      "plugin/review.mjs",
      `import { appendFileSync, readFileSync } from "node:fs";
const { tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
appendFileSync("reviewed.log", JSON.stringify(input) + "\\n");
if (!JSON.stringify(input).includes("eval(") && process.argv[2] !== "commit") process.exit(0);
console.error("eval runs what it is given");
process.exitCode = 2;`,
    );
    const review = { ...command('"$CLAUDE_PLUGIN_ROOT"/find.sh write'), timeout: 180 };
    const commit = { ...review, command: '"$CLAUDE_PLUGIN_ROOT"/find.sh commit', asyncRewake: true };
    await fixture.settings("plugin/hooks/hooks.json", {
      hooks: {
        PostToolUse: [
          { matcher: "Edit|Write|MultiEdit", hooks: [review] },
          { matcher: "Bash", hooks: [{ ...commit, if: "Bash(git commit:*)" }] },
        ],
      },
    });
    const pluginRoot = `${fixture.workspace}/plugin`;
    const { chain } = await fixture.open({ files: [{ path: "plugin/hooks/hooks.json", pluginRoot }] });
    const result = { output: "done", isError: false };
    expect(
      await chain.afterCall(callOf("write", { path: "a.js", content: "eval(x)" }), result),
    ).toMatchObject({ decision: "replace", output: "done\n\neval runs what it is given" });
    const failedWrite = callOf("write", { path: "a.js", content: "eval(y)" });
    expect(await chain.afterCall(failedWrite, { output: "no space", isError: true })).toEqual(ALLOWED);
    const clean = callOf("write", { path: "a.js", content: "x" });
    expect(await chain.afterCall(clean, result)).toEqual(ALLOWED);
    expect(await chain.afterCall(callOf(...run("git", "status")), result)).toEqual(ALLOWED);
    expect(await chain.afterCall(callOf(...run("git", "commit", "-m", "x")), result)).toEqual(ALLOWED);
    await expect
      .poll(() => fixture.reports, { timeout: 20_000 })
      .toEqual([
        "hook 'claude PostToolUse 2.1' decides nothing in the background, and said: eval runs what it is given",
      ]);
    const seen = await readFile(`${fixture.workspace}/reviewed.log`, "utf8");
    expect(seen.trim().split("\n")).toHaveLength(3);
  });

  it("6 the examples print their JSON on standard error with exit 2, ask on standard output, or go on", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "bash.sh",
      `#!/bin/bash
case $(cat) in
  *'dd if='*) echo '{"hookSpecificOutput":{"permissionDecision":"deny"},"systemMessage":"a disk tool"}' >&2; exit 2;;
  *sudo*) echo '{"hookSpecificOutput":{"permissionDecision":"ask"},"systemMessage":"needs privilege"}' >&2; exit 2;;
  *) echo '{"continue":true}';;
esac`,
    );
    await fixture.file(
      "write.sh",
      `#!/bin/bash
say() { printf '{"hookSpecificOutput":{"permissionDecision":"%s","permissionDecisionReason":"%s"}}' "$@"; }
case $(cat) in
  *'"file_path":"/etc/'*) say deny "a system path";;
  *'.env"'*) say ask "may hold secrets";;
esac`,
    );
    const groups = [
      { matcher: "Bash", hooks: [command("./bash.sh")] },
      { matcher: "Write|Edit", hooks: [command("./write.sh")] },
    ];
    const context = 'echo "export KIND=node" >> "$CLAUDE_ENV_FILE"';
    await fixture.settings(CLAUDE, {
      hooks: { PreToolUse: groups, SessionStart: [{ hooks: [command(context)] }] },
    });
    const asked: unknown[] = [];
    const askPerson = ({ reason }: { reason: string | undefined }) => asked.push(reason) === 1;
    const { chain, dialects } = await fixture.open({ askPerson });
    expect(dialects.leftOut).toMatchObject([{ event: "SessionStart" }]);
    expect(await chain.beforeCall(callOf(...run("dd", "if=x")))).toEqual(denied("a disk tool"));
    expect(await chain.beforeCall(callOf(...run("sudo", "ls")))).toEqual(denied("needs privilege"));
    expect(await chain.beforeCall(callOf(...run("ls")))).toEqual(ALLOWED);
    const write = (path: string) => callOf("write", { path, content: "" });
    expect(await chain.beforeCall(write("/etc/hosts"))).toEqual(
      denied("a system path", "claude PreToolUse 2.1"),
    );
    expect(await chain.beforeCall(write("a.ts"))).toEqual(ALLOWED);
    expect(await chain.beforeCall(write(".env"))).toEqual(ALLOWED);
    expect(await chain.beforeCall(write("b.env"))).toMatchObject(DENIED);
    expect(asked).toEqual(["may hold secrets", "may hold secrets"]);
  });

  it("7 a guard with its own interpreter logs what it allows, swallows its errors, and may not start", async () => {
    const fixture = await makeFixture();
    const script = (interpreter: string) => `#!/usr/bin/env -S ${interpreter}
input=$(cat)
case $input in
  *.env.sample*) ;;
  *.env*) echo "BLOCKED: .env" >&2; echo "read .env.sample" >&2; exit 2;;
  *'rm -rf'*) echo "BLOCKED: rm" >&2; exit 2;;
esac
mkdir -p logs 2> /dev/null && echo "$input" >> logs/pre_tool_use.json
exit 0`;
    await fixture.file(".claude/hooks/pre.sh", script("bash --norc"));
    const group = [{ matcher: "", hooks: [command(".claude/hooks/pre.sh")] }];
    const guards = ["Stop", "SubagentStop", "UserPromptSubmit", "PreCompact"];
    const events = ["PreToolUse", "PostToolUse", "Notification", "SessionStart", ...guards];
    await fixture.settings(CLAUDE, { hooks: Object.fromEntries(events.map((event) => [event, group])) });
    const { chain, dialects } = await fixture.open({ leaveOut: guards });
    expect(dialects.leftOut.map(({ event }) => event)).toEqual(["Notification", "SessionStart", ...guards]);
    expect(await chain.beforeCall(callOf("read", { path: ".env" }))).toEqual(
      denied("BLOCKED: .env\nread .env.sample"),
    );
    expect(await chain.beforeCall(callOf(...run("rm", "-rf", "/")))).toEqual(denied("BLOCKED: rm"));
    expect(await chain.beforeCall(callOf("read", { path: ".env.sample" }))).toEqual(ALLOWED);
    const log = await readFile(`${fixture.workspace}/logs/pre_tool_use.json`, "utf8");
    expect(log.match(/"tool_name":"\w+"/g)).toEqual(['"tool_name":"Read"']);
    await fixture.file(".claude/hooks/pre.sh", script("basis-no-such-interpreter"));
    expect(await askBoth(fixture, run("ls"), { leaveOut: guards })).toEqual({
      hardened: failed("could not be started"),
      faithful: ALLOWED,
    });
    await fixture.file("blocked/logs", "a file where the log's directory should be");
    await fixture.file(".claude/hooks/pre.sh", script("bash").replace("mkdir", "cd blocked; mkdir"));
    expect(await askBoth(fixture, run("ls"), { leaveOut: guards })).toEqual({
      hardened: ALLOWED,
      faithful: ALLOWED,
    });
  });
});
