import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { callOf, CLAUDE, claudeSettings, makeFixture } from "../support/fixture.ts";
import { ALLOWED, askBoth, denied, failed } from "../support/outcomes.ts";

const CURSOR = ".cursor/hooks.json";
const COPILOT = ".github/hooks/hooks.json";
const WINDSURF = ".windsurf/hooks.json";
const run = (...argv: string[]) => ["run", { argv }] as const;
const flat = (hooks: Record<string, Record<string, unknown>[]>) => ({ version: 1, hooks });

describe("the public sets for several clients", () => {
  it("11 one script without an interpreter line picks its words by the plugin's variable", async () => {
    const fixture = await makeFixture();
    // A file for two shells: bash skips the lines that are for the other.
    await fixture.file(
      "plugin/hooks/run-hook.cmd",
      `: << 'OTHER'
@echo off
exit /b 1
OTHER
text=$'a "quoted"\\tline\\nand a \\\\ second'
text=\${text//\\\\/\\\\\\\\}; text=\${text//\\"/\\\\\\"}; text=\${text//$'\\n'/\\\\n}; text=\${text//$'\\t'/\\\\t}
if [ -n "$CURSOR_PLUGIN_ROOT" ]; then printf '{\\n  "additional_context": "%s"\\n}\\n' "$text"
elif [ -n "$CLAUDE_PLUGIN_ROOT" ]; then printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}' "$1" "$text"
else exit 3; fi`,
    );
    const line = (root: string) => `"\${${root}}/hooks/run-hook.cmd" PostToolUse`;
    const grouped = {
      hooks: {
        SessionStart: [
          {
            matcher: "startup|clear",
            hooks: [{ type: "command", command: line("CLAUDE_PLUGIN_ROOT"), async: false }],
          },
        ],
        ...claudeSettings(line("CLAUDE_PLUGIN_ROOT"), { event: "PostToolUse" }).hooks,
      },
    };
    const cursor = [{ command: line("CURSOR_PLUGIN_ROOT"), matcher: "Shell" }];
    await fixture.settings("plugin/hooks/hooks.json", grouped);
    await fixture.settings("plugin/hooks-cursor.json", flat({ sessionStart: cursor, postToolUse: cursor }));
    const pluginRoot = `${fixture.workspace}/plugin`;
    for (const [path, dialect] of [
      ["plugin/hooks/hooks.json", "claude"],
      ["plugin/hooks/hooks.json", "codex"],
      ["plugin/hooks-cursor.json", "cursor"],
    ] as const) {
      const { chain, dialects } = await fixture.open({ files: [{ path, dialect, pluginRoot }] });
      expect(dialects.leftOut).toMatchObject([{ event: expect.stringMatching(/^sessionStart$/i) }]);
      const outcome = await chain.afterCall(callOf(...run("ls")), { output: "x", isError: false });
      expect({ dialect, ...outcome }).toMatchObject({
        dialect,
        decision: "replace",
        output: 'x\n\na "quoted"\tline\nand a \\ second',
      });
    }
  });

  it("14 one check for four clients answers each in its words", async () => {
    const fixture = await makeFixture();
    await fixture.file(
      "bin/run-hook.sh",
      `#!/bin/bash
input=$(cat)
why="the environment file of $1 is not mounted"
[[ $input != *deploy* || -e .env.mounted ]] && decision=allow || decision=deny
case $input in
  *cursor_version*) printf '{"continue":true,"permission":"%s","user_message":"%s"}' $decision "$why";;
  *permission_mode*|*agent_action_name*) [[ $decision == allow ]] || { echo "$why" >&2; exit 2; };;
  *) [[ $decision == allow ]] && echo '{"continue": true}' || printf '{"continue": false, "stopReason": "%s"}' "$why";;
esac`,
    );
    const line = "bin/run-hook.sh validate";
    const places: [path: string, settings: unknown, hook: string][] = [
      [CLAUDE, claudeSettings(line, { matcher: "Bash" }), "claude PreToolUse 1.1"],
      [CURSOR, flat({ beforeShellExecution: [{ command: line }] }), "cursor beforeShellExecution 1"],
      [COPILOT, flat({ PreToolUse: [{ command: line, timeout: 15 }] }), "copilot PreToolUse 1"],
      [
        WINDSURF,
        { hooks: { pre_run_command: [{ command: line, show_output: true }] } },
        "windsurf pre_run_command 1",
      ],
    ];
    const why = "the environment file of validate is not mounted";
    const deploy = run("make", "deploy");
    for (const [path, settings, hook] of places) {
      await fixture.settings(path, settings);
      const files = [{ path }];
      const no = denied(why, hook);
      expect(await askBoth(fixture, deploy, { files })).toEqual({ hardened: no, faithful: no });
      expect(await fixture.ask(...run("ls"), { files })).toEqual(ALLOWED);
    }
    await fixture.file(".env.mounted", "");
    expect(await fixture.ask(...deploy)).toEqual(ALLOWED);
    const unknown = ".goose/hooks.json";
    await fixture.settings(unknown, { hooks: { PreToolUse: [{ command: line }] } });
    await expect(fixture.open({ files: [{ path: unknown }] })).rejects.toMatchObject({
      code: "invalid_option",
      details: { option: "dialect" },
    });
  });

  it("17 telemetry goes on, a controller's word decides, and a part of an input is the whole of it", async () => {
    const fixture = await makeFixture();
    const track = `cat >> telemetry.log; echo '{"continue":true}'; exit 0`;
    const decide = `cat > /dev/null; said=$(cat decision 2> /dev/null || echo allow)
printf '{"hookSpecificOutput":{"permissionDecision":"%s"}}' "$said"`;
    const sandbox = `grep -q '"command":"open ' && echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"dangerouslyDisableSandbox":true}}}'; exit 0`;
    const group = (command: string) => ({ hooks: [{ type: "command", command }] });
    await fixture.settings(CLAUDE, {
      hooks: { PreToolUse: [group(decide), group(sandbox)], PostToolUse: [group(track)] },
    });
    const { chain } = await fixture.open();
    const after = await chain.afterCall(callOf(...run("ls")), { output: "x", isError: false });
    expect(after).toEqual(ALLOWED);
    expect(await readFile(`${fixture.workspace}/telemetry.log`, "utf8")).toContain('"tool_response":"x"');
    // Claude takes the part for the whole, so the command is gone: the host's own check of the input refuses it.
    const gone = {
      decision: "modify",
      input: { dangerouslyDisableSandbox: true },
      reason: "hook 'claude PreToolUse 2.1'",
    };
    expect(await askBoth(fixture, run("open", "x"))).toEqual({ hardened: gone, faithful: gone });
    expect(await chain.beforeCall(callOf(...run("ls")))).toEqual(ALLOWED);
    await fixture.file("decision", "deny");
    expect(await chain.beforeCall(callOf(...run("ls")))).toEqual(denied(""));
    const telemetry = { type: "command", bash: "true" };
    await fixture.settings(COPILOT, flat({ postToolUse: [telemetry, { ...telemetry, bash: "exit 1" }] }));
    const files = [{ path: COPILOT }];
    const output = { output: "x", isError: false };
    const strict = await fixture.open({ files });
    expect(await strict.chain.afterCall(callOf(...run("ls")), output)).toEqual(
      failed("exited with code 1", "copilot postToolUse 2"),
    );
    const faithful = await fixture.open({ files, level: "faithful" });
    expect(await faithful.chain.afterCall(callOf(...run("ls")), output)).toEqual(ALLOWED);
  });
});
