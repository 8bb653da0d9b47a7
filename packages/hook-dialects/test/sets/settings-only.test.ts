import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DialectCall } from "../../src/bridge/dialect.ts";
import { findDialect } from "../../src/bridge/dialects.ts";
import { DialectError, readDialectSettings, type DialectName } from "../../src/index.ts";

const read = (dialect: DialectName, value: unknown, leaveOut: readonly string[] = []) =>
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

const handler = (command: string, more = {}) => ({ hooks: [{ type: "command", command, ...more }] });
const bash = (command: string): DialectCall => ({
  toolName: "Bash",
  names: ["Bash"],
  kind: "shell",
  server: undefined,
  input: { command },
  toolCallId: "call-1",
  agentId: "main",
  isChild: false,
  cwd: "/workspace",
  now: 0,
  result: undefined,
});

describe("the public sets of which the settings decide", () => {
  it("4 a loop around Stop has no place around a tool call, and its file is refused until it is left out", () => {
    const loop = handler("${CLAUDE_PLUGIN_ROOT}/hooks/stop-hook.sh", { timeout: 10 });
    const guard = handler("./guard.sh");
    const file = { description: "a loop", hooks: { Stop: [loop], PreToolUse: [guard] } };
    const pointer = "/hooks/Stop/0/hooks/0";
    expect(refusal("claude", file)).toMatchObject({
      code: "unsupported_entry",
      details: { entries: [{ pointer }] },
    });
    const { hooks, leftOut } = read("claude", file, ["Stop"]);
    expect(leftOut).toMatchObject([{ event: "Stop", pointer }]);
    expect(hooks).toMatchObject([{ event: "PreToolUse" }]);
  });

  it("5 words at the start of a session are told to nobody here, and the list says so", () => {
    const start = handler('"${CLAUDE_PLUGIN_ROOT}/hooks-handlers/session-start.sh"');
    expect(read("claude", { description: "style", hooks: { SessionStart: [start] } })).toMatchObject({
      hooks: [],
      leftOut: [{ event: "SessionStart", pointer: "/hooks/SessionStart/0/hooks/0" }],
    });
  });

  it("15 the same formatter is read for three clients; an event that a client does not have is refused", () => {
    const claude = { hooks: { PostToolUse: [{ matcher: "Edit|Write", ...handler("pnpm fix") }] } };
    expect(read("claude", claude).hooks).toMatchObject([
      { moment: "post_tool_use", command: "pnpm fix", matcher: "Edit|Write" },
    ]);
    const cursor = { version: 1, hooks: { afterFileEdit: [{ command: "pnpm fix" }] } };
    expect(read("cursor", cursor).hooks).toMatchObject([{ moment: "post_tool_use", command: "pnpm fix" }]);
    const codex = { hooks: { PreCommit: [handler("pnpm fix")] } };
    expect(refusal("codex", codex)).toMatchObject({
      code: "unsupported_entry",
      details: {
        entries: [{ pointer: "/hooks/PreCommit/0/hooks/0", why: "the event PreCommit is not known" }],
      },
    });
    expect(read("codex", codex, ["PreCommit"]).leftOut).toMatchObject([{ event: "PreCommit" }]);
  });

  it("16 a file of permission rules has no hooks; the same rules as conditions are read widely", () => {
    const rules = [
      "Bash(rg:*)",
      "Bash(make format)",
      "Bash(uv run pytest:*)",
      "Bash(PYRIGHT_PYTHON_IGNORE_WARNINGS=1 uv run pyright *)",
    ];
    const permissions = { allow: rules, deny: [] };
    expect(read("claude", { permissions })).toMatchObject({ hooks: [], leftOut: [] });
    const conditions = rules.map((rule) => handler("./guard.sh", { if: rule }));
    const { hooks } = read("claude", { permissions, hooks: { PreToolUse: conditions } });
    const meant = (command: string) =>
      hooks
        .filter((hook) => findDialect("claude")!.matches(hook, bash(command)))
        .map((hook) => hook.condition);
    expect(meant("rg x")).toEqual([rules[0]]);
    expect(meant("make format")).toEqual([rules[1]]);
    expect(meant("cd a && uv run pytest -q")).toEqual([rules[2]]);
    expect(meant("PYRIGHT_PYTHON_IGNORE_WARNINGS=1 uv run pyright a.py")).toEqual([rules[3]]);
    expect(meant("ls")).toEqual([]);
  });

  it.each<[DialectName, string]>([
    ["claude", "PreToolUse"],
    ["codex", "PreToolUse"],
    ["gemini", "BeforeTool"],
  ])(
    "of %s are refused when an event stands outside 'hooks', for it would guard nothing",
    (dialect, event) => {
      const group = handler("./guard.sh");
      expect(refusal(dialect, { [event]: [group] })).toMatchObject({
        code: "invalid_file",
        details: { pointer: `/${event}` },
      });
      expect(refusal(dialect, { hooks: {}, [event]: [group] })).toMatchObject({ code: "invalid_file" });
      expect(read(dialect, { hooks: { [event]: [group] } }).hooks).toHaveLength(1);
    },
  );
});

it("every one of the eighteen sets has a test whose name begins with its number", () => {
  const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const text = names.map((name) => readFileSync(`${import.meta.dirname}/${name}`, "utf8")).join("\n");
  const tested = new Set([...text.matchAll(/^\s*it\("(\d+) /gm)].map(([, digits]) => Number(digits)));
  expect([...tested].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, index) => index + 1));
});
