import { describe, expect, it } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture, type Fixture } from "./support/fixture.ts";

/** A workspace with one script of Claude's, started as its settings say. */
async function withScript(script: string, more: Record<string, unknown> = {}): Promise<Fixture> {
  const fixture = await makeFixture();
  await fixture.file(".claude/hooks/guard.sh", script);
  const command = '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh';
  await fixture.settings(CLAUDE, claudeSettings(command, { timeout: 20, ...more }));
  return fixture;
}

const denied = (reason: string) => ({
  decision: "deny",
  reason: `denied by hook 'claude PreToolUse 1.1'${reason === "" ? "" : `: ${reason}`}`,
});
const failed = (failure: string) => ({
  decision: "deny",
  reason: `hook 'claude PreToolUse 1.1' could not answer and denies on failure: ${failure}`,
});

describe("Claude's hooks, as their public scripts behave", () => {
  // Sets 1 and 7: a validator reads the command, says what is wrong on standard error and exits with 2.
  it("a validator blocks by exit 2, and fails by exit 1: Claude lets that through", async () => {
    const script = `#!/bin/bash
input=$(cat)
if [[ $input == *'"tool_name":"Bash"'* && $input == *'grep '* ]]; then echo "• use rg" >&2; exit 2; fi
[[ $input == *'boom'* ]] && { echo Traceback >&2; exit 1; }
exit 0`;
    const fixture = await withScript(script, { matcher: "Bash" });
    const { chain } = await fixture.open();
    expect(await chain.beforeCall(callOf("run", { argv: ["grep", "x", "y"] }))).toEqual(denied("• use rg"));
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    expect(await chain.beforeCall(callOf("run", { argv: ["boom"] }))).toEqual(failed("exited with code 1"));
    expect(fixture.reports).toEqual(["hook 'claude PreToolUse 1.1' exited with code 1 and said: Traceback"]);
    expect(await chain.beforeCall(callOf("read", { path: "grep boom" }))).toEqual({ decision: "allow" });
    expect(await fixture.ask("run", { argv: ["boom"] }, { level: "faithful" })).toEqual({
      decision: "allow",
    });
  });

  // Sets 2 and 12: always exit 0, and the decision is JSON; the file's path is absolute.
  it("a guard that answers in JSON denies one file and allows the others", async () => {
    const script = `#!/bin/bash
path=$(sed -n 's/.*"file_path":"\\([^"]*\\)".*/\\1/p')
if [[ $path == "$CLAUDE_PROJECT_DIR"/*.env ]]; then
  printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"secrets"},"systemMessage":"no"}'
else echo '{}'; fi`;
    const fixture = await withScript(script);
    const { chain } = await fixture.open();
    expect(await chain.beforeCall(callOf("read", { path: "prod.env" }))).toEqual(denied("secrets"));
    expect(await chain.beforeCall(callOf("read", { path: "a.ts" }))).toEqual({ decision: "allow" });
  });

  // Set 6: the JSON goes to standard error, with exit 2.
  it("a guard that prints its JSON on standard error gives its words", async () => {
    const json = '{"hookSpecificOutput":{"permissionDecision":"deny"},"systemMessage":"system path"}';
    const fixture = await withScript(`#!/bin/bash\ncat >/dev/null\necho '${json}' >&2\nexit 2`);
    expect(await fixture.ask("write", { path: "/etc/passwd", content: "" })).toEqual(denied("system path"));
  });

  // Sets 8 and 17: a rewrite, with allow or without a decision.
  it("a rewriter changes the command, and the next hook sees the change", async () => {
    const fixture = await makeFixture();
    const rewrite = `read -r line; case $line in *'"command":"git status"'*)
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"rtk git status"}}}';; esac`;
    const second = `grep -q 'rtk git' && { echo "no rtk" >&2; exit 2; }; exit 0`;
    const hooks = [{ type: "command", command: rewrite }];
    await fixture.settings(CLAUDE, { hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } });
    expect(await fixture.ask("run", { argv: ["git", "status"] })).toEqual({
      decision: "modify",
      input: { argv: ["/bin/sh", "-c", "rtk git status"] },
      reason: "hook 'claude PreToolUse 1.1'",
    });
    expect(await fixture.ask("run", { argv: ["ls"] })).toEqual({ decision: "allow" });
    const both = [...hooks, { type: "command", command: second }];
    await fixture.settings(CLAUDE, { hooks: { PreToolUse: [{ matcher: "Bash", hooks: both }] } });
    expect(await fixture.ask("run", { argv: ["git", "status"] })).toMatchObject({ decision: "deny" });
  });

  // Set 10: a dangerous command wants a person's yes.
  it("an ask denies without a person, and is that person's word with one", async () => {
    const answer =
      '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"force push"}}';
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings(`cat >/dev/null; echo '${answer}'`));
    expect(await fixture.ask("run", { argv: ["git"] })).toEqual(
      denied("it wants a person to be asked, and nobody can be asked here: force push"),
    );
    const asked: unknown[] = [];
    const askPerson = ({ hook, reason }: { hook: string; reason: string | undefined }): boolean => {
      asked.push([hook, reason]);
      return true;
    };
    expect(await fixture.ask("run", { argv: ["git"] }, { askPerson })).toEqual({ decision: "allow" });
    expect(asked).toEqual([["claude PreToolUse 1.1", "force push"]]);
  });

  // Sets 3 and 15: formatters after the call chatter, object by exit 2, or fail.
  it("a formatter chatters, and its objection stands beside the result", async () => {
    const fixture = await makeFixture();
    const command = `case "$(cat)" in *'"tool_response":"bad"'*) echo "2 findings" >&2; exit 2;; *) echo "fixed 3 files";; esac`;
    await fixture.settings(CLAUDE, claudeSettings(command, { event: "PostToolUse", matcher: "Write|Edit" }));
    const { chain } = await fixture.open();
    const write = callOf("write", { path: "a.ts", content: "x" });
    expect(await chain.afterCall(write, { output: "good", isError: false })).toEqual({ decision: "allow" });
    expect(await chain.afterCall(write, { output: "bad", isError: false })).toMatchObject({
      decision: "replace",
      output: "bad\n\n2 findings",
      isError: false,
    });
    expect(await chain.afterCall(write, { output: "bad", isError: true })).toEqual({ decision: "allow" });
    expect(await chain.afterCall(callOf("read", {}), { output: "bad", isError: false })).toEqual({
      decision: "allow",
    });
  });
});

describe("what a Claude hook gets", () => {
  it("is one JSON object and a newline, its vendor's variables, and nothing of the host's secrets", async () => {
    const fixture = await makeFixture();
    await fixture.settings(
      CLAUDE,
      claudeSettings("cat > seen.json; env > env.txt; tail -c1 seen.json | xxd -p >> env.txt"),
    );
    const hostEnv = { ...process.env, OPENAI_API_KEY: "canary", GRANTED: "yes" };
    await fixture.ask("run", { argv: ["ls", "a b"] }, { hostEnv, env: ["GRANTED"] });
    const { readFile } = await import("node:fs/promises");
    const env = await readFile(`${fixture.workspace}/env.txt`, "utf8");
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${fixture.workspace}`);
    expect(env).toContain("GRANTED=yes");
    expect(env).not.toContain("canary");
    const seen = await readFile(`${fixture.workspace}/seen.json`, "utf8");
    expect(seen.endsWith("}\n")).toBe(true);
    expect(JSON.parse(seen)).toEqual({
      session_id: "main",
      transcript_path: "",
      cwd: fixture.workspace,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls 'a b'" },
      tool_use_id: "call-1",
    });
  });
});

describe("a Claude hook that breaks", () => {
  it.each([
    ["hangs", "sleep 60", { timeout: 0.3 }, "did not answer within 300ms"],
    ["is killed", "kill -9 $$", {}, "exited with a signal"],
    ["is missing", "./no-such-guard", {}, "exited with code 127"],
    ["prints half an answer", `printf '{"decision":"blo'`, {}, "it is not one JSON object"],
    [
      "logs before it decides",
      `echo checking; echo '{"decision":"block"}'`,
      {},
      "its decision is not all that it printed",
    ],
  ])(
    "that %s denies, and is let through as Claude does only when faithful",
    async (_name, command, more, failure) => {
      const fixture = await makeFixture();
      await fixture.settings(CLAUDE, claudeSettings(command, more));
      const outcome = await fixture.ask("run", { argv: ["ls"] });
      expect(outcome.decision).toBe("deny");
      expect("reason" in outcome && outcome.reason).toContain(failure);
      expect(await fixture.ask("run", { argv: ["ls"] }, { level: "faithful" })).toEqual({
        decision: "allow",
      });
    },
  );

  it("keeps what its entry says about failing, at either level", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("exit 3", { onFailure: "continue" }));
    expect(await fixture.ask("run", { argv: ["ls"] })).toEqual({ decision: "allow" });
    await fixture.settings(CLAUDE, claudeSettings("exit 3", { onFailure: "block" }));
    const block = await fixture.ask("run", { argv: ["ls"] }, { level: "faithful" });
    expect(block).toEqual(failed("exited with code 3"));
  });

  it("in the background decides nothing, and ends with the host", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("sleep 60; exit 2", { async: true }));
    const { chain, dialects } = await fixture.open();
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    await chain.close();
    await dialects.close();
  });
});
