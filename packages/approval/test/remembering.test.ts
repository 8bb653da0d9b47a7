import { describe, expect, it } from "vitest";
import {
  createApprovalGate,
  exportRules,
  memoryRuleStore,
  narrowestRule,
  type ApprovalRule,
  type RuleStore,
} from "../src/index.ts";
import { allow, commandCall, deny, gateWith, scriptedApprover, spawnCall, writeCall } from "./fixtures.ts";

const sealed = { ...writeCall, sideEffectLevel: "local_state", digest: "", callKey: "k" } as const;

describe("an answer for the session", () => {
  it("allows the same call again without asking, and no other", async () => {
    const { gate, approver } = gateWith({ decision: "allow_for_session" });
    await gate.authorize(writeCall);
    expect(await gate.authorize({ ...writeCall, callKey: "again" })).toMatchObject({ decision: "allow" });
    expect(approver.asked).toHaveLength(1);
    await gate.authorize({ ...writeCall, callKey: "b", input: { path: "src/b.ts", text: "x" } });
    await gate.authorize({ ...writeCall, callKey: "c", sessionId: "session-2" });
    await gate.authorize({ ...writeCall, callKey: "d", agentId: "child" });
    expect(approver.asked).toHaveLength(4);
  });

  // C43
  it("repeats a remembered denial with its reason, and says that asking again changes nothing", async () => {
    const { gate, approver } = gateWith({ decision: "deny_for_session", reason: "not in this repository." });
    const text =
      "Tool execution denied: not in this repository. This refusal is remembered: asking again will not change it.";
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", text });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      text,
      reason: "not in this repository.",
      by: expect.stringMatching(/^rule /),
    });
    expect(approver.asked).toHaveLength(1);
  });

  it("remembers a command as this exact command", async () => {
    const { gate, approver } = gateWith({ decision: "allow_for_session" });
    await gate.authorize(commandCall);
    await gate.authorize({ ...commandCall, callKey: "again" });
    expect(approver.asked).toHaveLength(1);
    const chained = { ...(commandCall.preview as object), body: "git status && rm -rf /" };
    await gate.authorize({ ...commandCall, callKey: "chained", preview: chained });
    expect(approver.asked).toHaveLength(2);
  });
});

describe("a wildcard allow for commands", () => {
  const refused: readonly ApprovalRule[] = [
    { toolName: "run", effect: "allow", scope: "session" },
    { toolName: "run", effect: "allow", scope: "global", pattern: { fields: { command: "git *" } } },
    {
      toolName: "spawn",
      effect: "allow",
      scope: "global",
      pattern: '{"body":"git *","cwd":"/r","mode":"command"*',
    },
    {
      toolName: "spawn",
      effect: "allow",
      scope: "global",
      pattern: { fields: { body: "git *", mode: "command" } },
    },
  ];

  it.each(refused)("is refused wherever it is written: %j", async (rule) => {
    const { gate } = gateWith(deny);
    const error = expect.objectContaining({ code: "command_wildcard", details: { toolName: rule.toolName } });
    await expect(gate.remember(rule)).rejects.toThrow(error);
    expect(() => createApprovalGate({ approver: scriptedApprover(allow), rules: [rule] })).toThrow(error);
    expect(() => narrowestRule({ ...commandCall, effect: "command" }, { vary: ["body"] })).toThrow(
      expect.objectContaining({ code: "command_wildcard" }),
    );
    expect((await gate.remember({ ...rule, effect: "deny" })).effect).toBe("deny");
  });

  it("does not apply even when a store holds one", async () => {
    const rule = { toolName: "sh", effect: "allow", scope: "global" } as const;
    const { gate } = gateWith(deny, { rules: [rule] });
    const call = { ...writeCall, toolName: "sh" };
    expect(await gate.authorize({ ...call, effect: "command" })).toMatchObject({ decision: "deny" });
    expect(await gate.authorize(call)).toMatchObject({ decision: "allow" });
  });
});

describe("narrowestRule", () => {
  it("pins everything, and says what else it decides", () => {
    const { rule, alsoCovers } = narrowestRule({ ...sealed, toolIdentity: "sha256:tool" });
    expect(rule).toEqual({
      toolName: "write",
      pattern: { exact: { path: "src/a.ts", text: "x" } },
      effect: "allow",
      scope: "session",
      agent: "main",
      within: "session-1",
      toolIdentity: "sha256:tool",
    });
    expect(alsoCovers).toBe("also allows this same call again, by agent main, in this session; nothing else");
  });

  // S18
  it("leaves free only what is named, mode and target staying pinned", () => {
    const { rule, alsoCovers } = narrowestRule(spawnCall, { vary: ["body"], scope: "workspace" });
    const pinned = { cwd: { equals: "/repo/src" }, mode: { equals: "agent" }, target: { equals: "local" } };
    expect(rule.pattern).toEqual({ fields: { body: "*", ...pinned } });
    expect(alsoCovers).toBe(
      "also allows spawn with any body, everything else as in this call, by agent main, in this workspace",
    );
    expect(() => narrowestRule(spawnCall, { vary: ["soul"] })).toThrow(
      expect.objectContaining({ code: "invalid_rule" }),
    );
  });
});

describe("remembered rules", () => {
  const denyAll = { toolName: "write", effect: "deny", scope: "global" } as const;

  it("stand above an approver that allows, and are asked about reads too", async () => {
    const { gate, approver } = gateWith(allow, { rules: [denyAll] });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: "a remembered rule denies this call of write",
    });
    expect(await gate.authorize({ ...writeCall, sideEffectLevel: "none" })).toMatchObject({
      decision: "deny",
    });
    expect(approver.asked).toHaveLength(0);
  });

  // C51
  it("no longer hold once revoked, and are listed and exported until then", async () => {
    const rules = memoryRuleStore({ rules: [denyAll] });
    const { gate } = gateWith(allow, { rules });
    const [rule] = rules.list();
    expect(await exportRules(rules)).toEqual({ schema: 1, rules: [rule] });
    expect((await gate.authorize(writeCall)).decision).toBe("deny");
    expect(rules.revoke(rule!.id)).toBe(true);
    expect((await gate.authorize(writeCall)).decision).toBe("allow");
  });

  // C48
  it("no longer hold once expired", async () => {
    const { gate, approver, clock } = gateWith(deny);
    await gate.remember({
      toolName: "write",
      effect: "allow",
      scope: "process",
      expiresAt: clock.now() + 1000,
    });
    expect((await gate.authorize(writeCall)).decision).toBe("allow");
    clock.advance(1000);
    expect((await gate.authorize(writeCall)).decision).toBe("deny");
    expect(approver.asked).toHaveLength(1);
  });
});

// C50
describe("a rule store that fails", () => {
  const broken = (change: Partial<RuleStore>): RuleStore => ({ ...memoryRuleStore(), ...change });
  const outage = (): never => {
    throw new Error("disk gone");
  };

  it.each([
    ["throws", broken({ find: outage }), "it failed"],
    ["rejects", broken({ find: () => Promise.reject(new Error("gone")) }), "it failed"],
    ["answers nonsense", broken({ find: () => "no rules" as never }), "its answer is no list of rules"],
  ])("denies when it %s, and nobody is asked", async (_, rules, problem) => {
    const { gate, approver } = gateWith(allow, { rules });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: `the rule store could not answer: ${problem}`,
    });
    expect(approver.asked).toHaveLength(0);
  });

  it("denies when it stays silent", async () => {
    const { gate, clock } = gateWith(allow, {
      rules: broken({ find: () => new Promise(() => undefined) }),
      storeTimeoutMs: 300,
    });
    const asked = gate.authorize(writeCall);
    clock.advance(300);
    expect(await asked).toMatchObject({ decision: "deny", by: "the rule store" });
  });

  it("denies what it could not remember", async () => {
    const answers = [{ decision: "allow_for_session" }, { decision: "deny_for_session" }];
    const { gate } = gateWith(answers, { rules: broken({ add: outage }) });
    const reason = "the rule store could not answer: it could not keep the rule";
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", reason });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", reason });
  });

  it("that answers late but in time is as good as any", async () => {
    const rules = broken({ find: async () => [] });
    expect(await gateWith(allow, { rules }).gate.authorize(writeCall)).toMatchObject({ decision: "allow" });
  });
});
