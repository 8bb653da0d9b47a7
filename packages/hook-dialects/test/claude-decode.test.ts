import { describe, expect, it } from "vitest";
import type { JsonValue } from "@basis/core";
import { claude } from "../src/bridge/claude.ts";
import type { Decoded } from "../src/bridge/dialect.ts";

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};
const decode = (stdout: string, exitCode: number | null = 0, stderr = ""): Decoded =>
  claude.decode({ event: "PreToolUse", onFailure: undefined }, { exitCode, stdout, stderr }, parse);
const pre = (specific: Record<string, JsonValue>, more: Record<string, JsonValue> = {}): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...specific }, ...more });

describe("an end of a Claude hook before a call", () => {
  it.each([
    ["silence", "", { kind: "allow" }],
    ["an empty object", "{}", { kind: "allow" }],
    ["chatter", "fixed 3 files\n{ not json }", { kind: "allow" }],
    ["continue and suppressOutput", '{"continue":true,"suppressOutput":true}', { kind: "allow" }],
    ["approve, the old word", '{"decision":"approve","reason":"ok"}', { kind: "allow", reason: "ok" }],
    ["block, the old word", '{"decision":"block","reason":"no"}', { kind: "deny", reason: "no" }],
    [
      "deny",
      pre({ permissionDecision: "deny", permissionDecisionReason: "no" }),
      { kind: "deny", reason: "no" },
    ],
    ["a stop", '{"continue":false,"stopReason":"enough"}', { kind: "deny", reason: "enough" }],
    [
      "ask",
      pre({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
      { kind: "ask", reason: "sure?" },
    ],
    ["defer", pre({ permissionDecision: "defer" }), { kind: "ask" }],
    [
      "a rewrite with allow",
      pre({ permissionDecision: "allow", updatedInput: { command: "ls" } }),
      { kind: "modify", input: { command: "ls" }, merge: false },
    ],
    [
      "a rewrite without a decision",
      '{"hookSpecificOutput":{"updatedInput":{"command":"ls"}}}',
      { kind: "modify", input: { command: "ls" }, merge: false },
    ],
    [
      "a deny that carries a broken rewrite",
      pre({ permissionDecision: "deny", updatedInput: 1 }),
      { kind: "deny" },
    ],
  ])("%s is read as Claude reads it", (_name, stdout, said) => {
    expect(decode(stdout)).toMatchObject(said);
  });

  it.each([
    ["words", "no secrets", "no secrets"],
    ["JSON", '{"hookSpecificOutput":{"permissionDecisionReason":"no rm"}}', "no rm"],
    ["JSON with a message", '{"systemMessage":"no tmp"}', "no tmp"],
    ["JSON without words", '{"a":1}', '{"a":1}'],
    ["nothing", "", undefined],
  ])("exit 2 denies with %s on standard error, whatever it printed", (_name, stderr, reason) => {
    expect(decode(pre({ permissionDecision: "allow" }), 2, stderr)).toEqual({ kind: "deny", reason });
  });
});

describe("an end of a Claude hook after a call", () => {
  const after = (stdout: string, exitCode = 0, stderr = "", event = "PostToolUse"): Decoded =>
    claude.decode({ event, onFailure: undefined }, { exitCode, stdout, stderr }, parse);

  it("gives words beside the result, replaces it, or lets it be", () => {
    expect(after('{"decision":"block","reason":"format it"}')).toEqual({
      kind: "feedback",
      text: "format it",
      blocks: true,
    });
    expect(after("", 2, "lint failed")).toEqual({ kind: "feedback", text: "lint failed", blocks: true });
    const added = '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"see docs"}}';
    expect(after(added)).toEqual({ kind: "feedback", text: "see docs", blocks: false });
    const replaced = '{"hookSpecificOutput":{"updatedToolOutput":"[redacted]"}}';
    expect(after(replaced)).toMatchObject({ kind: "replace", output: "[redacted]" });
    expect(after("", 2, "", "PostToolUseFailure")).toEqual({ kind: "allow" });
    expect(after("{}")).toEqual({ kind: "allow", reason: undefined });
  });
});
