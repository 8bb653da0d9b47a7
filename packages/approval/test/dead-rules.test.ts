import { describe, expect, it } from "vitest";
import { memoryRuleStore, type ApprovalRule, type StoredRule } from "../src/index.ts";
import { deadRules, type DeadRuleOptions } from "../src/store/index.ts";
import { gateWith, allow, writeCall } from "./fixtures.ts";

const nowMs = 1000;
const write: ApprovalRule = { toolName: "write", effect: "allow", scope: "session", within: "s" };
const stored = (...rules: Partial<ApprovalRule>[]): StoredRule[] =>
  rules.map((rule, at) => ({ ...write, ...rule, id: `rule-${at}`, createdAt: 0 }));
const problems = (rules: readonly StoredRule[], options: Partial<DeadRuleOptions> = {}): string[] =>
  deadRules(rules, { nowMs, ...options }).map(({ rule, problem }) => `${rule.id}: ${problem}`);

describe("a rule that can never match is reported", () => {
  it.each<[string, Partial<ApprovalRule>, Partial<DeadRuleOptions>, string]>([
    ["expired", { expiresAt: 1000 }, {}, "it has expired"],
    ["for no tool", {}, { toolIdentities: new Map() }, "there is no tool 'write'"],
    [
      "for another tool of the name",
      { toolIdentity: "a" },
      { toolIdentities: new Map([["write", "b"]]) },
      "another tool stands behind the name 'write'",
    ],
    ["with a text for a tool without", { pattern: "*" }, {}, "a whole text is not matched for 'write'"],
    [
      "with a text of nothing",
      { toolName: "spawn", pattern: "git *" },
      {},
      "its text can be that of no preview",
    ],
    [
      "for commands that nobody reads",
      { toolName: "run", pattern: { command: { words: ["ls"] } } },
      { readsCommands: false },
      "nobody reads commands here: give the gate `commands`",
    ],
  ])("%s", (_, change, options, problem) => {
    expect(problems(stored(change), options)).toEqual([`rule-0: ${problem}`]);
    expect(problems(stored({}))).toEqual([]);
  });

  it("as an allow beneath a denial of everything that it could allow", () => {
    const beneath = "rule-0: rule rule-1 denies every call that it could allow";
    expect(problems(stored({}, { effect: "deny", scope: "global", within: undefined }))).toEqual([beneath]);
    expect(problems(stored({}, { effect: "deny" }))).toEqual([beneath]);
    for (const other of [
      { agent: "child" },
      { within: "s2" },
      { expiresAt: 2000 },
      { toolName: "read" },
      { pattern: { fields: {} } },
    ]) {
      expect(problems(stored({}, { effect: "deny", ...other }))).toEqual([]);
    }
  });

  it("unless it still may: texts of previews, living rules, rules of the same tool", () => {
    const alive = stored(
      { expiresAt: 1001 },
      { toolName: "spawn", pattern: '{"body":"x"*' },
      { toolName: "spawn", pattern: "*" },
      { toolName: "run", pattern: { command: { words: ["ls"] } } },
      { effect: "deny", agent: "child" },
    );
    expect(problems(alive)).toEqual([]);
    const toolIdentities = new Map([
      ["write", "a"],
      ["spawn", undefined],
      ["run", undefined],
    ]);
    expect(problems(stored({ toolIdentity: "a" }), { toolIdentities })).toEqual([]);
  });
});

// C50
describe("a rule store that holds something that is no rule", () => {
  const whole = memoryRuleStore({ rules: [write] });
  const holding = (thing: unknown) => ({ ...whole, find: () => [...whole.list(), thing as StoredRule] });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "it failed"],
    ["null", null, "it holds something, which is no rule"],
    ["a text", "deny write", "it holds something, which is no rule"],
    ["a rule without an id", { ...write, createdAt: 0 }, "it holds something, which is no rule"],
    ["another effect", { ...write, id: "r", effect: "DENY" }, "it holds 'r', which is no rule"],
    ["another scope", { ...write, id: "r", scope: "everywhere" }, "it holds 'r', which is no rule"],
    ["a tool that is no name", { ...write, id: "r", toolName: 7 }, "it holds 'r', which is no rule"],
    ["an end that is no moment", { ...write, id: "r", expiresAt: "never" }, "it holds 'r', which is no rule"],
    ["a pattern that is none", { ...write, id: "r", pattern: ["x"] }, "it holds 'r', which is no rule"],
    ["an agent that is none", { ...write, id: "r", agent: null }, "it holds 'r', which is no rule"],
    ["a place that is none", { ...write, id: "r", within: 7 }, "it holds 'r', which is no rule"],
    ["a reason that is no text", { ...write, id: "r", reason: {} }, "it holds 'r', which is no rule"],
    [
      "words that are none",
      { ...write, id: "r", effect: "deny", pattern: { command: { words: "rm" } } },
      "it holds 'r', which is no rule",
    ],
  ])("denies and says so: %s", async (_, thing, problem) => {
    const call = { ...writeCall, sessionId: "s" };
    const { gate, approver } = gateWith(allow, { rules: holding(thing) });
    expect(await gate.authorize(call)).toMatchObject({
      decision: "deny",
      by: "the rule store",
      reason: `the rule store could not answer: ${problem}`,
    });
    expect(approver.asked).toHaveLength(0);
    const sound = gateWith(allow, { rules: holding({ ...write, id: "r", createdAt: 0 }) });
    expect(await sound.gate.authorize(call)).toMatchObject({ decision: "allow" });
  });
});
