import { readFile, symlink } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { DialectError, RUNTIME_TOOLS } from "../src/index.ts";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "./support/fixture.ts";
import { askBoth } from "./support/outcomes.ts";
import type { HookOutcome } from "./support/types.ts";

const GEMINI = ".gemini/settings.json";
const CODEX = ".codex/hooks.json";
const CURSOR = ".cursor/hooks.json";
const COPILOT = ".github/hooks/guard.json";
const flat = (event: string, handler: Record<string, unknown>) => ({
  version: 1,
  hooks: { [event]: [handler] },
});
const gemini = (command: string, more = {}) => ({
  hooks: {
    BeforeTool: [
      { matcher: "run_shell_command", hooks: [{ type: "command", command, timeout: 20_000, ...more }] },
    ],
  },
});

describe("one hook for four clients", () => {
  it("denies in each client's words, and allows in them", async () => {
    const fixture = await makeFixture();
    const script = `#!/bin/bash
input=$(cat)
echo "$1 $input" >> "$PWD/seen.txt"
[[ $input == *secret* ]] || exit 0
case $1 in
  claude|codex) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}';;
  gemini) echo '{"decision":"deny","reason":"no"}';;
  cursor) echo '{"continue":true,"permission":"deny","userMessage":"no","agentMessage":"no"}';;
  copilot) echo '{"permissionDecision":"deny","permissionDecisionReason":"no"}';;
esac`;
    await fixture.file("hook.sh", script);
    const group = (matcher: string, name: string) => ({
      matcher,
      hooks: [{ type: "command", command: `./hook.sh ${name}` }],
    });
    const files: Record<string, unknown> = {
      [CLAUDE]: { hooks: { PreToolUse: [group("Bash", "claude")] } },
      [GEMINI]: { hooks: { BeforeTool: [group("run_shell_command", "gemini")] } },
      [CODEX]: { hooks: { PreToolUse: [group("^Bash$", "codex")] } },
      [CURSOR]: flat("beforeShellExecution", { command: "./hook.sh cursor" }),
      [COPILOT]: flat("preToolUse", { type: "command", bash: "./hook.sh copilot", matcher: "bash" }),
    };
    for (const [path, value] of Object.entries(files)) {
      await fixture.settings(path, value);
      const outcome = await fixture.ask("run", { argv: ["cat", "secret"] }, { files: [{ path }] });
      expect({ path, ...outcome }).toMatchObject({
        path,
        decision: "deny",
        reason: expect.stringMatching(/: no$/),
      });
    }
    expect(await fixture.ask("run", { argv: ["ls"] })).toEqual({ decision: "allow" });
    const seen = await readFile(`${fixture.workspace}/seen.txt`, "utf8");
    const allowed = seen.split("\n").filter((line) => line.includes('ls"') || line.includes('ls\\"'));
    expect(allowed.map((line) => line.split(" ")[0])).toEqual([
      "claude",
      "gemini",
      "codex",
      "cursor",
      "copilot",
    ]);
    expect(allowed[3]).toContain('"command":"ls"');
    expect(allowed[4]).toContain('"toolArgs":"{\\"command\\":\\"ls\\"}"');
  });
});

describe("Gemini's failures", () => {
  it.each([
    ["exit 2 in silence", "exit 2"],
    ["a kill after words", "echo checking; kill -9 $$"],
    ["a log line before a denial", `echo checking; echo '{"decision":"deny"}'`],
    ["a denial in Claude's words", `echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`],
  ])("%s denies, and is an allow when faithful", async (_name, command) => {
    const fixture = await makeFixture();
    await fixture.settings(GEMINI, gemini(command));
    expect(await fixture.ask("run", { argv: ["ls"] })).toMatchObject({ decision: "deny" });
    expect(await fixture.ask("run", { argv: ["ls"] }, { level: "faithful" })).toEqual({ decision: "allow" });
  });

  it("a hook that ignores TERM while a grandchild holds its output is over at its timeout", async () => {
    const fixture = await makeFixture();
    await fixture.settings(GEMINI, gemini("trap '' TERM; sleep 60 & sleep 60", { timeout: 300 }));
    const started = Date.now();
    expect(await fixture.ask("run", { argv: ["ls"] })).toMatchObject({ decision: "deny" });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it("a rewrite of some fields keeps the others, and loses them when faithful", async () => {
    const fixture = await makeFixture();
    await fixture.settings(GEMINI, {
      hooks: {
        BeforeTool: [
          { hooks: [{ type: "command", command: `echo '{"hookSpecificOutput":{"tool_input":{"b":2}}}'` }] },
        ],
      },
    });
    expect(await fixture.ask("deploy", { a: 1, b: 1 })).toMatchObject({ input: { a: 1, b: 2 } });
    expect(await fixture.ask("deploy", { a: 1, b: 1 }, { level: "faithful" })).toMatchObject({
      input: { b: 2 },
    });
  });
});

describe("Windsurf's hooks", () => {
  const WINDSURF = ".windsurf/hooks.json";
  const events = ["read_code", "write_code", "run_command", "mcp_tool_use"];
  const every = (command: string) => ({
    hooks: Object.fromEntries(
      ["pre", "post"].flatMap((when) =>
        events.map((what) => [`${when}_${what}`, [{ command, show_output: true }]]),
      ),
    ),
  });

  it("are told of the calls that they are about, in its words, and of no others", async () => {
    const fixture = await makeFixture();
    await fixture.settings(WINDSURF, every("cat >> seen.jsonl"));
    const { chain } = await fixture.open({
      tools: { ...RUNTIME_TOOLS, patch: { kind: "edit", fields: { file_path: "path" } } },
    });
    const server = { ...callOf("mcp__git__push", { to: "main" }), toolSource: "mcp:git" };
    for (const call of [
      callOf("read", { path: "a.txt" }),
      callOf("list", { path: "." }),
      callOf("write", { path: "a.txt", content: "new" }),
      callOf("patch", { path: "a.txt", old_string: "old", new_string: "new" }),
      callOf("run", { argv: ["ls", "my file"] }),
      server,
      callOf("search", { text: "x" }),
    ])
      expect(await chain.beforeCall(call)).toEqual({ decision: "allow" });
    const afterwards = { output: { pushed: true }, isError: false };
    expect(await chain.afterCall(server, afterwards)).toEqual({ decision: "allow" });
    expect(await chain.afterCall(server, { ...afterwards, isError: true })).toEqual({ decision: "allow" });
    const seen = (await readFile(`${fixture.workspace}/seen.jsonl`, "utf8")).trim().split("\n");
    const { workspace: root } = fixture;
    const git = { mcp_server_name: "git", mcp_tool_name: "push", mcp_tool_arguments: { to: "main" } };
    const file = `${root}/a.txt`;
    expect(seen.map((line) => JSON.parse(line) as object)).toMatchObject([
      { agent_action_name: "pre_read_code", tool_info: { file_path: file } },
      { agent_action_name: "pre_read_code", tool_info: { file_path: root } },
      {
        agent_action_name: "pre_write_code",
        tool_info: { file_path: file, edits: [{ old_string: "", new_string: "new" }] },
      },
      {
        agent_action_name: "pre_write_code",
        tool_info: { edits: [{ old_string: "old", new_string: "new" }] },
      },
      { agent_action_name: "pre_run_command", tool_info: { command_line: "ls 'my file'", cwd: root } },
      { agent_action_name: "pre_mcp_tool_use", tool_info: git },
      { agent_action_name: "post_mcp_tool_use", tool_info: { ...git, mcp_result: '{"pushed":true}' } },
    ]);
    expect(Object.keys(JSON.parse(seen[0]!) as object)).toEqual([
      "agent_action_name",
      "trajectory_id",
      "execution_id",
      "timestamp",
      "tool_info",
    ]);
  });

  // The examples of its documentation: a path outside, a dangerous command, a script that fails.
  it.each([
    ["denies by 2", 'echo "access denied" >&2; exit 2', ": access denied", ": access denied"],
    ["crashes", "exit 1", ": exited with code 1", undefined],
    ["hangs up on a signal", "kill -9 $$", ": exited with a signal", undefined],
    ["denies in JSON", `echo '{"decision":"deny","message":"no"}'`, ": no", undefined],
  ])("one that %s", async (_name, command, hardened, faithful) => {
    const fixture = await makeFixture();
    await fixture.settings(WINDSURF, { hooks: { pre_run_command: [{ command }] } });
    const { hardened: ours, faithful: theirs } = await askBoth(fixture, ["run", { argv: ["ls"] }]);
    const end = (outcome: HookOutcome): string | undefined =>
      outcome.decision === "deny" ? /: [^:]*$/.exec(outcome.reason)?.[0] : undefined;
    expect([end(ours), end(theirs)]).toEqual([hardened, faithful]);
    expect(await fixture.ask("read", { path: "x" })).toEqual({ decision: "allow" });
  });
});

describe("settings of Codex, Cursor and others", () => {
  it("the matcher of Cursor's shell events is about the command alone", async () => {
    const fixture = await makeFixture();
    const command = `cat > /dev/null; echo '{"permission":"deny","userMessage":"use the review tool"}'`;
    await fixture.settings(CURSOR, flat("beforeShellExecution", { command, matcher: "^(git|kubectl) " }));
    const { chain } = await fixture.open();
    expect(await chain.beforeCall(callOf("run", { argv: ["git", "push"] }))).toMatchObject({
      decision: "deny",
    });
    expect(await chain.beforeCall(callOf("run", { argv: ["ls"] }))).toEqual({ decision: "allow" });
    expect(await chain.beforeCall(callOf("read", { path: "git " }))).toEqual({ decision: "allow" });
  });

  it("hooks in Codex's TOML are refused, and a TOML without them is not", async () => {
    const fixture = await makeFixture();
    await fixture.file(".codex/config.toml", 'model = "x"\n');
    expect((await fixture.open()).dialects.participants).toEqual([]);
    await fixture.file(".codex/config.toml", '[[hooks.PreToolUse]]\nmatcher = "Bash"\n');
    await expect(fixture.open()).rejects.toSatisfy(
      (error) => DialectError.is(error) && error.code === "invalid_file",
    );
  });

  it("a directory of settings that cannot be read is refused, and one that is not there is not", async () => {
    const fixture = await makeFixture();
    expect((await fixture.open()).dialects.participants).toEqual([]);
    await fixture.file(".github/x", "");
    await symlink("hooks", `${fixture.workspace}/.github/hooks`);
    await expect(fixture.open()).rejects.toThrow("cannot be read (ELOOP)");
  });

  it("a person who never answers keeps neither the aborted turn nor the closing waiting", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings(`echo '{"permission":"ask"}'`, { matcher: "Bash" }));
    const turn = new AbortController();
    const told: AbortSignal[] = [];
    const askPerson = (_question: unknown, { signal }: { readonly signal: AbortSignal }) => {
      told.push(signal);
      return new Promise<boolean>(() => undefined);
    };
    const { chain, dialects } = await fixture.open({ askPerson });
    const outcome = chain.beforeCall(callOf("run", { argv: ["ls"] }), { signal: turn.signal });
    await vi.waitFor(() => expect(told).toHaveLength(1), 5000);
    turn.abort();
    expect(await outcome).toMatchObject({ decision: "deny" });
    expect(told[0]?.aborted).toBe(true);
    await chain.close();
    await dialects.close();
  });

  it("a hook whose matcher means none of the tools there are is reported", async () => {
    const fixture = await makeFixture();
    await fixture.settings(CLAUDE, claudeSettings("true", { matcher: "NotebookEdit" }));
    await fixture.settings(GEMINI, gemini("true"));
    await fixture.open({ knownTools: ["run", "read"] });
    expect(fixture.reports).toEqual([expect.stringContaining("hook 'claude PreToolUse 1.1'")]);
  });
});
