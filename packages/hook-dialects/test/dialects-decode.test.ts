import { describe, expect, it } from "vitest";
import type { JsonValue } from "@basis/core";
import { findDialect } from "../src/bridge/dialects.ts";
import type { Decoded, DialectName } from "../src/bridge/dialect.ts";
import { DIALECT_NAMES, differencesOf } from "../src/index.ts";

const parse = (text: string): JsonValue | undefined => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
};

type Row = readonly [
  name: string,
  end: readonly [exitCode: number | null, stdout: string, stderr?: string],
  Partial<Decoded>,
];

const decode = (dialect: DialectName, event: string, [exitCode, stdout, stderr = ""]: Row[1]): Decoded =>
  findDialect(dialect)!.decode({ event, onFailure: undefined }, { exitCode, stdout, stderr }, parse);

const ALLOW = { kind: "allow" } as const;
const ADDED = '{"hookSpecificOutput":{"additionalContext":"see docs"}}';

describe.each(DIALECT_NAMES)("the list of differences of %s", (dialect) => {
  const rows = differencesOf(dialect).flatMap(({ when, hardened, example }) =>
    example ? [{ when, hardened, example }] : [],
  );

  it.each(rows)("says truly that it allows when $when, and hardened $hardened", ({ hardened, example }) => {
    const hook = { event: example.event, onFailure: undefined };
    const decoded = findDialect(dialect)!.decode(hook, example, parse);
    expect(decoded).toMatchObject({ kind: "fell", vendor: ALLOW });
    expect("hardened" in decoded && decoded.hardened?.kind === "ask").toBe(hardened === "asks");
  });
});

describe("Gemini before a tool, as measured", () => {
  it.each<Row>([
    ["silence", [0, ""], ALLOW],
    ["chatter", [0, "formatted"], ALLOW],
    ["deny", [0, '{"decision":"deny","reason":"no"}'], { kind: "deny", reason: "no" }],
    ["block", [0, '{"decision":"block"}'], { kind: "deny" }],
    ["exit 2 and words", [2, "", "no"], { kind: "deny", reason: "no" }],
    ["exit 3 and words", [3, "", "no"], { kind: "deny", reason: "no" }],
    ["exit 1 and a JSON denial", [1, '{"decision":"deny"}'], { kind: "deny" }],
    ["ask", [0, '{"decision":"ask"}'], { kind: "ask", merge: "hardened" }],
    [
      "a rewrite",
      [0, '{"hookSpecificOutput":{"tool_input":{"a":1}}}'],
      { kind: "modify", merge: "hardened" },
    ],
  ])("%s", (_name, end, said) => {
    expect(decode("gemini", "BeforeTool", end)).toMatchObject(said);
  });

  it("after it, context stands beside the result, and a denial in its place", () => {
    expect(decode("gemini", "AfterTool", [0, ADDED])).toMatchObject({ kind: "feedback", blocks: false });
    expect(decode("gemini", "AfterTool", [0, '{"decision":"deny","reason":"no"}'])).toMatchObject({
      kind: "deny",
    });
  });
});

describe("Codex before a tool", () => {
  it.each<Row>([
    ["silence", [0, ""], ALLOW],
    ["chatter", [0, "formatted"], ALLOW],
    ["what it calls unsupported, meant as an allow", [0, '{"continue":true,"suppressOutput":true}'], ALLOW],
    ["a bare allow", [0, '{"hookSpecificOutput":{"permissionDecision":"allow"}}'], ALLOW],
    ["the old block", [0, '{"decision":"block","reason":"no"}'], { kind: "deny", reason: "no" }],
    ["exit 2 and words", [2, "", "no"], { kind: "deny", reason: "no" }],
    [
      "a rewrite with allow",
      [0, '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"ls"}}}'],
      { kind: "modify", merge: false },
    ],
  ])("%s", (_name, end, said) => {
    expect(decode("codex", "PreToolUse", end)).toMatchObject(said);
  });

  it("after it, an objection needs a reason", () => {
    expect(decode("codex", "PostToolUse", [0, '{"decision":"block","reason":"no"}'])).toMatchObject({
      kind: "feedback",
    });
    expect(decode("codex", "PostToolUse", [0, '{"decision":"block"}'])).toMatchObject({ kind: "fell" });
  });
});

describe("Cursor before a tool", () => {
  it.each<Row>([
    ["silence", [0, ""], ALLOW],
    ["deny, in old words", [0, '{"permission":"deny","userMessage":"no"}'], { kind: "deny", reason: "no" }],
    [
      "deny",
      [0, '{"permission":"deny","user_message":"no","agent_message":"x"}'],
      { kind: "deny", reason: "no" },
    ],
    ["continue false", [0, '{"continue":false}'], { kind: "deny" }],
    ["exit 2 and JSON", [2, '{"permission":"allow"}'], { kind: "deny", reason: '{"permission":"allow"}' }],
    [
      "a partial rewrite",
      [0, '{"continue":true,"permission":"allow","updated_input":{"command":"ls"}}'],
      { kind: "modify", merge: true },
    ],
  ])("%s", (_name, end, said) => {
    expect(decode("cursor", "preToolUse", end)).toMatchObject(said);
  });

  it("asks before a command, and silence fails where the entry fails closed", () => {
    expect(decode("cursor", "beforeShellExecution", [0, '{"permission":"ask"}'])).toMatchObject({
      kind: "ask",
    });
    const silent = findDialect("cursor")!.decode(
      { event: "preToolUse", onFailure: "deny" },
      { exitCode: 0, stdout: "", stderr: "" },
      parse,
    );
    expect(silent).toMatchObject({ kind: "fell", code: "silent" });
  });
});

describe("Copilot before a tool", () => {
  const flat = '{"permissionDecision":"deny","permissionDecisionReason":"no"}';
  it.each<Row>([
    ["silence", [0, ""], ALLOW],
    ["deny", [0, flat], { kind: "deny", reason: "no" }],
    ["deny, nested", [0, `{"hookSpecificOutput":${flat}}`], { kind: "deny", reason: "no" }],
    ["block", [0, '{"decision":"block","reason":"no"}'], { kind: "deny", reason: "no" }],
    ["ask", [0, '{"permissionDecision":"ask"}'], { kind: "ask" }],
    ["another code", [1, flat], { kind: "fell", vendor: { kind: "deny", reason: "it exited with code 1" } }],
    ["a signal", [null, ""], { kind: "fell", vendor: ALLOW }],
    ["changed arguments", [0, '{"modifiedArgs":{"command":"ls"}}'], { kind: "modify", merge: false }],
  ])("%s", (_name, end, said) => {
    expect(decode("copilot", "preToolUse", end)).toMatchObject(said);
  });

  it("after it, a changed result replaces", () => {
    expect(
      decode("copilot", "postToolUse", [0, '{"modifiedResult":{"textResultForLlm":"x"}}']),
    ).toMatchObject({
      kind: "replace",
      output: "x",
    });
  });
});

describe("Windsurf", () => {
  it.each<Row>([
    ["silence", [0, ""], ALLOW],
    ["chatter, of an object too", [0, '{\n  "tool_info": {"command_line":"deny"}\n}'], ALLOW],
    ["an allow in other words", [0, '{"continue":true}'], ALLOW],
    ["exit 2 and words", [2, "", "no\n"], { kind: "deny", reason: "no" }],
    ["exit 2 in silence", [2, ""], { kind: "deny", reason: undefined }],
    [
      "a denial that it does not read",
      [0, 'checking\n{"permission":"deny","user_message":"no"}'],
      { kind: "fell", vendor: ALLOW, hardened: { kind: "deny", reason: "no" } },
    ],
  ])("before a call: %s", (_name, end, said) => {
    expect(decode("windsurf", "pre_run_command", end)).toMatchObject(said);
  });

  it("after it, exit 2 tells the agent, and what is printed is nobody's answer", () => {
    const told = { kind: "feedback", text: "no", blocks: true };
    expect(decode("windsurf", "post_write_code", [2, "", "no"])).toEqual(told);
    expect(decode("windsurf", "post_write_code", [0, '{"decision":"block"}'])).toEqual(ALLOW);
  });
});
