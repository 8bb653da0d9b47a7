import { describe, expect, it } from "vitest";
import type { JsonValue } from "@basis/core";
import { findDialect } from "../src/bridge/dialects.ts";
import type { DialectName } from "../src/bridge/dialect.ts";

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

const BEFORE: Readonly<Record<DialectName, string>> = {
  claude: "PreToolUse",
  gemini: "BeforeTool",
  codex: "PreToolUse",
  cursor: "preToolUse",
  copilot: "preToolUse",
  windsurf: "pre_run_command",
};
const names = Object.keys(BEFORE) as DialectName[];

/** What a hardened chain makes of a text that a hook printed before a call, exiting with 0. */
function verdictOf(dialect: DialectName, printed: JsonValue): string {
  const stdout = typeof printed === "string" ? printed : JSON.stringify(printed);
  const hook = { event: BEFORE[dialect], onFailure: undefined };
  const decoded = findDialect(dialect)!.decode(hook, { exitCode: 0, stdout, stderr: "" }, parse);
  if (decoded.kind !== "fell") return decoded.kind;
  return decoded.hardened?.kind ?? "fails";
}

const specific = (fields: Readonly<Record<string, JsonValue>>): JsonValue => ({ hookSpecificOutput: fields });

describe.each(names)("a hook of %s that speaks another tool's words", (dialect) => {
  it.each<readonly [string, JsonValue]>([
    ["Claude's", specific({ permissionDecision: "deny", permissionDecisionReason: "no" })],
    ["Claude's old ones", { decision: "block", reason: "no" }],
    ["Gemini's", { decision: "deny", reason: "no" }],
    ["Cursor's", { permission: "deny", user_message: "no" }],
    ["Copilot's", { permissionDecision: "deny", permissionDecisionReason: "no" }],
    ["a permission request's", specific({ decision: { behavior: "deny", message: "no" } })],
    ["snake's", specific({ permission_decision: "deny", reason: "no" })],
    ["those of a stop", { continue: false, stopReason: "no" }],
    ["both, and they differ", { decision: "block", ...Object(specific({ permissionDecision: "allow" })) }],
    ["a list's", '[{"decision":"block"}]'],
    ["those behind a log line's", 'checking {"decision":"block","reason":"no"}'],
    ["coloured ones", '\u001b[1m{"decision":\u001b[0m "block"}'],
    ["spread ones between others", 'log\n{\n  "decision": "block"\n}\nbye'],
    ["those of no object", { hookSpecificOutput: "deny" }],
  ])("never allows where it denies in %s", (_whose, printed) => {
    expect(verdictOf(dialect, printed)).toMatch(/^(?:deny|fails)$/);
  });

  it("asks, or fails, where it asks in any words", () => {
    const asks = [{ permission: "ask" }, { decision: "ask" }, specific({ permissionDecision: "ask" })];
    for (const printed of asks) expect(verdictOf(dialect, printed)).toMatch(/^(?:ask|fails)$/);
  });

  it("never runs the call unchanged where it changes it in any words", () => {
    const input = { command: "ls" };
    const changes: JsonValue[] = [
      { updated_input: input },
      { decision: "allow", updatedInput: input },
      { permissionDecision: "allow", modifiedArgs: input },
      specific({ permissionDecision: "allow", updatedInput: input }),
      { decision: "allow", ...Object(specific({ tool_input: input })) },
    ];
    for (const printed of changes) expect(verdictOf(dialect, printed)).toMatch(/^(?:modify|fails)$/);
  });

  it("still allows what says nothing against the call", () => {
    const allows: JsonValue[] = [
      "",
      "formatted 3 files",
      'read "decision": allow',
      {},
      { continue: true, suppressOutput: true },
      { continue: true, permission: "allow" },
      { tool_name: "Bash", tool_input: { command: "echo deny" } },
      { message: "deny" },
    ];
    for (const printed of allows.slice(0, dialect === "codex" ? 4 : 8))
      expect([printed, verdictOf(dialect, printed)]).toEqual([printed, "allow"]);
  });
});

describe("after a call", () => {
  it.each<readonly [DialectName, string, JsonValue, string]>([
    ["cursor", "postToolUse", { decision: "block", reason: "no" }, "feedback"],
    ["cursor", "postToolUse", specific({ updatedToolOutput: "-" }), "fails"],
    ["gemini", "AfterTool", { updated_mcp_tool_output: "-" }, "fails"],
    ["copilot", "postToolUse", specific({ updatedToolOutput: "-" }), "fails"],
    ["claude", "PostToolUse", { permission: "deny", user_message: "no" }, "feedback"],
    ["claude", "PostToolUse", { modifiedResult: "-" }, "fails"],
    ["windsurf", "post_write_code", { decision: "block" }, "allow"],
    ["claude", "PostToolUse", { systemMessage: "done" }, "allow"],
  ])("%s %s: %j", (dialect, event, printed, expected) => {
    const ended = { exitCode: 0, stdout: JSON.stringify(printed), stderr: "" };
    const decoded = findDialect(dialect)!.decode({ event, onFailure: undefined }, ended, parse);
    const { kind } = decoded;
    expect(kind === "fell" ? (decoded.hardened?.kind ?? "fails") : kind).toBe(expected);
  });
});
