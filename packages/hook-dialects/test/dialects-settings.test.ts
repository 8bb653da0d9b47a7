import { describe, expect, it } from "vitest";
import { DialectError, readDialectSettings, type DialectName, type DialectSettings } from "../src/index.ts";

const read = (dialect: DialectName, value: unknown, leaveOut: readonly string[] = []): DialectSettings =>
  readDialectSettings(JSON.stringify(value), { dialect, path: "hooks.json", leaveOut });

function refusal(dialect: DialectName, value: unknown) {
  try {
    read(dialect, value);
  } catch (error) {
    if (DialectError.is(error)) return { code: error.code, details: error.details };
    throw error;
  }
  return undefined;
}

const grouped = (event: string, handler: unknown, group = {}) => ({
  hooks: { [event]: [{ ...group, hooks: [handler] }] },
});
const flat = (event: string, handler: unknown) => ({ version: 1, hooks: { [event]: [handler] } });
const command = { type: "command", command: "./x.sh" };

describe("settings of other tools", () => {
  it("of Gemini have timeouts in milliseconds, and variables", () => {
    const handler = { ...command, name: "x", timeout: 500, env: { A: "b" } };
    const { hooks } = read("gemini", grouped("BeforeTool", handler, { matcher: "(", sequential: true }));
    expect(hooks).toMatchObject([
      {
        name: "gemini BeforeTool 1.1",
        timeoutMs: 500,
        env: { A: "b" },
        matcher: "(",
        moment: "pre_tool_use",
      },
    ]);
  });

  it("of Codex have timeouts in seconds", () => {
    expect(read("codex", grouped("PreToolUse", { ...command, timeout: 5 })).hooks).toMatchObject([
      { timeoutMs: 5000 },
    ]);
    expect(read("codex", grouped("PostToolUse", command)).hooks).toMatchObject([{ timeoutMs: 600_000 }]);
  });

  it("of Cursor are flat, and may fail closed", () => {
    const handler = { command: "./x.sh", failClosed: true, matcher: "git" };
    expect(read("cursor", flat("beforeShellExecution", handler)).hooks).toMatchObject([
      { name: "cursor beforeShellExecution 1", onFailure: "deny", matcher: "git" },
    ]);
  });

  it("of Copilot name a line for bash, and a directory inside the workspace", () => {
    const handler = { type: "command", bash: "./x.sh", powershell: "x.ps1", cwd: "scripts", timeoutSec: 5 };
    expect(read("copilot", flat("preToolUse", handler)).hooks).toMatchObject([
      { command: "./x.sh", cwd: "scripts", timeoutMs: 5000 },
    ]);
    expect(refusal("copilot", flat("preToolUse", { ...handler, cwd: "../.." }))).toMatchObject({
      code: "invalid_file",
      details: { pointer: "/hooks/preToolUse/0/cwd" },
    });
  });

  // Source: code.visualstudio.com/docs/agents/reference/hooks-reference, "Hook command properties".
  it.each([
    [{ command: "./x.sh" }, "./x.sh", "./x.sh", undefined],
    [{ command: "./x.sh", linux: "./l.sh" }, "./l.sh", "./x.sh", { command: "./x.sh" }],
    [{ command: "./x.sh", osx: "./o.sh" }, "./x.sh", "./o.sh", { osx: "./o.sh" }],
    [
      { bash: "./b.sh", linux: "./l.sh", windows: "l.ps1" },
      "./l.sh",
      "./b.sh",
      { bash: "./b.sh", windows: "l.ps1" },
    ],
  ])("of VS Code choose the line for the system: %j", (lines, linux, osx, otherLines) => {
    const on = (platform: "linux" | "osx" | "windows") =>
      readDialectSettings(JSON.stringify(flat("PreToolUse", { type: "command", ...lines })), {
        dialect: "copilot",
        path: "hooks.json",
        platform,
        leaveOut: platform === "windows" ? ["PreToolUse"] : [],
      });
    expect([on("linux"), on("osx")].map(({ hooks }) => hooks[0]!.command)).toEqual([linux, osx]);
    expect(on("linux").hooks[0]!.otherLines).toEqual(otherLines);
    const why = "windows" in lines ? "it has no line for bash" : "leaveOut names it";
    expect(on("windows").leftOut).toMatchObject([{ why }]);
  });

  it("of Windsurf are flat, without matchers, and name a directory inside the workspace", () => {
    const handler = {
      command: "./x.sh",
      powershell: "x.ps1",
      show_output: true,
      working_directory: "scripts",
    };
    expect(read("windsurf", { hooks: { pre_mcp_tool_use: [handler] } }).hooks).toMatchObject([
      { name: "windsurf pre_mcp_tool_use 1", moment: "pre_tool_use", command: "./x.sh", cwd: "scripts" },
    ]);
  });

  it.each<[DialectName, unknown, string]>([
    ["gemini", grouped("BeforeModel", command), "/hooks/BeforeModel/0/hooks/0"],
    ["codex", grouped("Stop", command), "/hooks/Stop/0/hooks/0"],
    ["codex", grouped("PreToolUse", { type: "prompt" }), "/hooks/PreToolUse/0/hooks/0"],
    ["cursor", flat("beforeReadFile", { command: "x" }), "/hooks/beforeReadFile/0"],
    ["cursor", flat("preToolUse", { type: "prompt", prompt: "x" }), "/hooks/preToolUse/0"],
    ["copilot", flat("preToolUse", { type: "command", powershell: "x" }), "/hooks/preToolUse/0"],
    ["copilot", flat("everything", { bash: "x" }), "/hooks/everything/0"],
    ["windsurf", flat("pre_user_prompt", { command: "x" }), "/hooks/pre_user_prompt/0"],
    ["windsurf", flat("pre_run_command", { powershell: "x" }), "/hooks/pre_run_command/0"],
  ])(
    "of %s refuse a guard that cannot be asked, unless it is left out by name",
    (dialect, value, pointer) => {
      expect(refusal(dialect, value)).toMatchObject({
        code: "unsupported_entry",
        details: { entries: [{ pointer }] },
      });
      expect(read(dialect, value, [pointer])).toMatchObject({ hooks: [], leftOut: [{ pointer }] });
    },
  );

  it.each<[DialectName, unknown, string]>([
    ["gemini", grouped("BeforeTool", { ...command, onlyIf: 1 }), "/hooks/BeforeTool/0/hooks/0/onlyIf"],
    ["codex", grouped("PreToolUse", command, { matcher: "(" }), "/hooks/PreToolUse/0/matcher"],
    ["cursor", flat("preToolUse", { command: "x", onlyIf: 1 }), "/hooks/preToolUse/0/onlyIf"],
    ["cursor", { version: 2, hooks: {} }, "/version"],
    ["copilot", { hooks: {}, other: 1 }, "/other"],
    ["windsurf", flat("pre_run_command", { command: "x", matcher: "y" }), "/hooks/pre_run_command/0/matcher"],
    [
      "windsurf",
      flat("pre_run_command", { command: "x", working_directory: "../y" }),
      "/hooks/pre_run_command/0/working_directory",
    ],
  ])("of %s refuse what nobody knows", (dialect, value, pointer) => {
    expect(refusal(dialect, value)).toMatchObject({ code: "invalid_file", details: { pointer } });
  });

  it("of each tell what only tells", () => {
    expect(read("gemini", grouped("SessionStart", command)).leftOut).toHaveLength(1);
    expect(read("cursor", flat("sessionStart", { command: "x" })).leftOut).toHaveLength(1);
    expect(read("copilot", flat("sessionStart", { bash: "x" })).leftOut).toHaveLength(1);
    expect(read("windsurf", flat("post_cascade_response", { command: "x" })).leftOut).toHaveLength(1);
  });
});
