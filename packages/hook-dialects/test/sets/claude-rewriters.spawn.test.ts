import { readFile, rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "../support/fixture.ts";
import { ALLOWED, askBoth, DENIED, denied, failed } from "../support/outcomes.ts";

const run = (...argv: string[]) => ["run", { argv }] as const;
const shell = (line: string) => ["/bin/sh", "-c", line];

/** Puts a word before `git`; `force` wants a person, and so brings no decision. */
const REWRITE = `import { readFileSync } from "node:fs";
const { tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
if (!input.command.startsWith("git ")) process.exit(0);
const said = input.command.includes("force") ? {} : { permissionDecision: "allow", permissionDecisionReason: "shorter" };
const updatedInput = { ...input, command: "rtk " + input.command };
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...said, updatedInput } }));`;

describe("the public sets that rewrite, ask and judge by JSON", () => {
  it("8 a rewriter gives the whole input with allow or without a decision, or says nothing", async () => {
    const fixture = await makeFixture();
    await fixture.file("rewrite.mjs", REWRITE);
    await fixture.settings(CLAUDE, {
      hooks: {
        PreToolUse: [
          {
            matcher: "Bash",
            hooks: [
              { type: "command", command: 'node "$CLAUDE_PROJECT_DIR"/rewrite.mjs' },
              {
                type: "command",
                command: "grep -q 'rtk git push' && { echo 'no push' >&2; exit 2; }; exit 0",
              },
            ],
          },
        ],
      },
    });
    const { chain } = await fixture.open();
    const call = (...argv: string[]) => callOf("run", { argv, timeout_ms: 5 });
    const rewritten = { decision: "modify", input: { argv: shell("rtk git status"), timeout_ms: 5 } };
    expect(await chain.beforeCall(call("git", "status"))).toMatchObject(rewritten);
    expect(await chain.beforeCall(call("git", "force"))).toMatchObject({
      input: { argv: shell("rtk git force") },
    });
    expect(await chain.beforeCall(call("ls"))).toEqual(ALLOWED);
    // The next hook sees the rewrite.
    expect(await chain.beforeCall(call("git", "push"))).toEqual(denied("no push", "claude PreToolUse 1.2"));
    await fixture.settings(CLAUDE, claudeSettings("echo 'WARNING: rtk is missing' >&2; exit 0"));
    expect(await fixture.ask(...run("git", "status"))).toEqual(ALLOWED);
  });

  it("10 a blocker of dangerous actions blocks in the old words, and asks where Claude has no such word", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "blocker.sh",
      `#!/bin/bash
set -euo pipefail
case $(cat) in
  *'git push'*--force-with-lease*) ;;
  *'git push'*--force*) echo '{"decision":"block","reason":"BLOCKED: use --force-with-lease"}';;
  *'git reset --hard'*) echo '{"decision":"ask","reason":"it discards changes"}';;
esac`,
    );
    await fixture.settings(CLAUDE, claudeSettings("./blocker.sh", { matcher: "Bash" }));
    const { chain } = await fixture.open();
    expect(await chain.beforeCall(callOf(...run("git", "push", "--force")))).toEqual(
      denied("BLOCKED: use --force-with-lease"),
    );
    expect(await chain.beforeCall(callOf(...run("git", "push", "--force-with-lease")))).toEqual(ALLOWED);
    const reset = run("git", "reset", "--hard");
    expect(await askBoth(fixture, reset)).toEqual({
      hardened: denied("it wants a person to be asked, and nobody can be asked here: it discards changes"),
      faithful: ALLOWED,
    });
    const asked: unknown[] = [];
    const askPerson = ({ hook, reason }: { hook: string; reason: string | undefined }) =>
      asked.push([hook, reason]) > 0;
    expect(await fixture.ask(...reset, { askPerson })).toEqual(ALLOWED);
    expect(asked).toEqual([["claude PreToolUse 1.1", "it discards changes"]]);
  });

  it("10 its plugin for Codex rewrites with allow, and Codex passes over a rewrite without", async () => {
    const fixture = await makeFixture();
    await fixture.file("plugin/hooks/rewrite.mjs", REWRITE);
    const line = 'node "$PLUGIN_ROOT/hooks/rewrite.mjs"';
    const settings = claudeSettings(line, { matcher: "Bash", statusMessage: "rewriting", timeout: 30 });
    await fixture.settings("plugin/hooks/hooks.json", settings);
    const pluginRoot = `${fixture.workspace}/plugin`;
    const files = [{ path: "plugin/hooks/hooks.json", dialect: "codex" as const, pluginRoot }];
    const rewritten = { decision: "modify", input: { argv: shell("rtk git status") } };
    expect(await askBoth(fixture, run("git", "status"), { files })).toMatchObject({
      hardened: rewritten,
      faithful: rewritten,
    });
    expect(await askBoth(fixture, run("git", "force"), { files })).toEqual({
      hardened: failed(
        "printed something that is not a decision (a rewrite without allow)",
        "codex PreToolUse 1.1",
      ),
      faithful: ALLOWED,
    });
  });

  it("12 a guard of secrets answers in JSON with exit 0, and logs in the user's home", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "protect.mjs",
      `import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
const { tool_name: tool, tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
const isSecret = /(^|\\/)\\.env$/.test(input.file_path ?? "") || /\\bcat\\b.*\\.env\\b/.test(input.command ?? "");
const isKey = tool === "Write" && /AKIA[0-9A-Z]{16}/.test(input.content);
const why = isSecret ? "a file of secrets" : isKey ? "a key in the text" : undefined;
if (why === undefined) console.log("{}");
else {
  try {
    mkdirSync(process.env.HOME + "/.claude/hooks-logs", { recursive: true });
    appendFileSync(process.env.HOME + "/.claude/hooks-logs/blocked.jsonl", JSON.stringify({ tool, why }) + "\\n");
  } catch {}
  const deny = { permissionDecision: "deny", permissionDecisionReason: why };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...deny } }));
}`,
    );
    await fixture.settings(CLAUDE, claudeSettings("node protect.mjs", { matcher: "Read|Edit|Write|Bash" }));
    const home = `${fixture.workspace}/home`;
    const { chain } = await fixture.open({ hostEnv: { ...process.env, HOME: home } });
    expect(await chain.beforeCall(callOf("read", { path: ".env" }))).toEqual(denied("a file of secrets"));
    expect(await chain.beforeCall(callOf(...run("cat", ".env")))).toEqual(denied("a file of secrets"));
    const write = { path: "a.ts", content: "AKIA0123456789ABCDEF" };
    expect(await chain.beforeCall(callOf("write", write))).toEqual(denied("a key in the text"));
    expect(await chain.beforeCall(callOf("read", { path: "a.ts" }))).toEqual(ALLOWED);
    expect(await chain.beforeCall(callOf("search", { text: ".env" }))).toEqual(ALLOWED);
    const log = await readFile(`${home}/.claude/hooks-logs/blocked.jsonl`, "utf8");
    expect(log.match(/"tool":"\w+"/g)).toEqual(['"tool":"Read"', '"tool":"Bash"', '"tool":"Write"']);
  });

  it("15 a formatter chatters and may fail: its words are no answer, its failure denies after the call", async () => {
    const fixture = await makeFixture();
    const fix = (end: string) => `cat > /dev/null; echo "Checked 812 files"; echo "> fix { lint }"; ${end}`;
    const settings = (end: string, more = {}) =>
      claudeSettings(fix(end), { event: "PostToolUse", matcher: "Edit|Write|MultiEdit", ...more });
    await fixture.settings(CLAUDE, settings("exit 0"));
    const write = callOf("write", { path: "a.ts", content: "x" });
    const result = { output: "done", isError: false };
    const first = await fixture.open();
    expect(await first.chain.afterCall(write, result)).toEqual(ALLOWED);
    expect(await first.chain.afterCall(callOf("read", {}), result)).toEqual(ALLOWED);
    await fixture.settings(CLAUDE, settings("echo '2 problems' >&2; exit 1"));
    const hardened = await fixture.open();
    expect(await hardened.chain.afterCall(write, result)).toMatchObject(DENIED);
    expect(await hardened.chain.afterCall(callOf("read", {}), result)).toEqual(ALLOWED);
    const faithful = await fixture.open({ level: "faithful" });
    expect(await faithful.chain.afterCall(write, result)).toEqual(ALLOWED);
    await fixture.settings(CLAUDE, settings("sleep 60", { timeout: 0.3 }));
    const slow = await fixture.open();
    expect(await slow.chain.afterCall(write, result)).toMatchObject(DENIED);
    // The same program after each edit, for Cursor.
    await rm(`${fixture.workspace}/${CLAUDE}`);
    const cursor = { version: 1, hooks: { afterFileEdit: [{ command: fix("exit 1") }] } };
    await fixture.settings(".cursor/hooks.json", cursor);
    const edited = await fixture.open();
    expect(await edited.chain.afterCall(write, result)).toMatchObject(DENIED);
    expect(await edited.chain.afterCall(callOf(...run("ls")), result)).toEqual(ALLOWED);
  });
});
