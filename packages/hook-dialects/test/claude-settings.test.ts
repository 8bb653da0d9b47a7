import { describe, expect, it } from "vitest";
import { DialectError, readDialectSettings, type DialectSettings } from "../src/index.ts";

const read = (value: unknown, leaveOut: readonly string[] = []): DialectSettings =>
  readDialectSettings(typeof value === "string" ? value : JSON.stringify(value), {
    dialect: "claude",
    path: "settings.json",
    leaveOut,
  });
const handler = { type: "command", command: "./guard.sh" };
const settings = (event: string, ...hooks: unknown[]) => ({ hooks: { [event]: [{ hooks }] } });

function refusal(value: unknown, leaveOut?: readonly string[]) {
  try {
    read(value, leaveOut);
  } catch (error) {
    if (DialectError.is(error)) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  return undefined;
}

describe("settings of Claude Code", () => {
  it("become hooks with every field, a plugin's file too", () => {
    const full = {
      ...handler,
      timeout: 10,
      onFailure: "block",
      if: "Bash(git commit:*)",
      statusMessage: "checking",
    };
    const value = {
      description: "a plugin",
      hooks: {
        PreToolUse: [{ matcher: "Bash|Edit", hooks: [handler, full] }],
        PostToolUse: [{ hooks: [handler] }],
      },
    };
    const { hooks, leftOut } = read(value);
    expect(leftOut).toEqual([]);
    expect(hooks.map(({ name }) => name)).toEqual([
      "claude PreToolUse 1.1",
      "claude PreToolUse 1.2",
      "claude PostToolUse 1.1",
    ]);
    expect(hooks[1]).toEqual({
      name: "claude PreToolUse 1.2",
      pointer: "/hooks/PreToolUse/0/hooks/1",
      event: "PreToolUse",
      moment: "pre_tool_use",
      matcher: "Bash|Edit",
      command: "./guard.sh",
      timeoutMs: 10_000,
      onFailure: "deny",
      condition: "Bash(git commit:*)",
      isAsync: false,
      env: {},
    });
    expect(hooks[2]).toMatchObject({ moment: "post_tool_use", onFailure: undefined, timeoutMs: 600_000 });
  });

  it("without hooks have none, whatever else they hold", () => {
    expect(read({ permissions: { allow: ["Bash(uv run *)"] } }).hooks).toEqual([]);
  });

  it.each([
    ["text that is no JSON", "{", ""],
    ["a key twice", '{"hooks":{},"hooks":{}}', ""],
    ["hooks that are a list", { hooks: [] }, "/hooks"],
    ["a group without hooks", { hooks: { PreToolUse: [{ matcher: "Bash" }] } }, "/hooks/PreToolUse/0"],
    [
      "a matcher that is no expression",
      { hooks: { PreToolUse: [{ matcher: "Bash(", hooks: [handler] }] } },
      "/hooks/PreToolUse/0/matcher",
    ],
    ["a command that is missing", settings("PreToolUse", { type: "command" }), "/hooks/PreToolUse/0/hooks/0"],
    [
      "a key that nobody knows",
      settings("PreToolUse", { ...handler, onlyWhen: "night" }),
      "/hooks/PreToolUse/0/hooks/0/onlyWhen",
    ],
    [
      "a timeout that is no time",
      settings("PreToolUse", { ...handler, timeout: -1 }),
      "/hooks/PreToolUse/0/hooks/0/timeout",
    ],
  ])("are refused whole for %s, naming the entry", (_name, value, pointer) => {
    expect(refusal(value)).toMatchObject({
      code: "invalid_file",
      details: { path: "settings.json", pointer },
    });
  });

  it.each([
    ["an event outside tool calls that can block", settings("Stop", handler), "Stop"],
    ["an event that nobody knows", settings("PreEverything", handler), "PreEverything"],
    ["a handler that is a prompt", settings("PreToolUse", { type: "prompt", prompt: "ok?" }), "PreToolUse"],
    ["a handler of another shell", settings("PreToolUse", { ...handler, shell: "powershell" }), "PreToolUse"],
  ])("are refused for %s, unless the host leaves it out by name", (_name, value, event) => {
    const pointer = `/hooks/${event}/0/hooks/0`;
    expect(refusal(value)).toMatchObject({ code: "unsupported_entry", details: { entries: [{ pointer }] } });
    expect(read(value, [event]).leftOut).toMatchObject([{ pointer, event }]);
    expect(read(value, [pointer])).toMatchObject({ hooks: [], leftOut: [{ pointer, event }] });
  });

  it("tell what only tells, and what is switched off", () => {
    expect(read(settings("SessionStart", handler))).toMatchObject({
      hooks: [],
      leftOut: [{ event: "SessionStart" }],
    });
    const off = { ...settings("PreToolUse", handler), disableAllHooks: true };
    expect(read(off)).toMatchObject({ hooks: [], leftOut: [{ why: "'disableAllHooks' is set" }] });
    const managed = { ...settings("PreToolUse", handler), allowManagedHooksOnly: true };
    expect(read(managed)).toMatchObject({ hooks: [{ event: "PreToolUse" }], leftOut: [] });
  });
});
