import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideByRules, memoryRuleStore, type ApprovalRule, type StoredRule } from "../src/index.ts";
import { ruleApplies } from "../src/rule-match.ts";
import { spawnCall } from "./fixtures.ts";

const moment = { nowMs: 1000 };
const stored = (rules: readonly ApprovalRule[]): StoredRule[] =>
  rules.map((rule, at) => ({ ...rule, id: `rule-${at}`, createdAt: at }));
const spawnRule = (change: Partial<ApprovalRule>): ApprovalRule => ({
  toolName: "spawn",
  effect: "allow",
  scope: "global",
  ...change,
});
const named = (...rules: readonly Partial<ApprovalRule>[]): string | undefined =>
  decideByRules(stored(rules.map(spawnRule)), spawnCall, moment)?.rule.id;

const anyRule: fc.Arbitrary<ApprovalRule> = fc.record(
  {
    toolName: fc.constantFrom("spawn", "write"),
    effect: fc.constantFrom("allow" as const, "deny" as const),
    scope: fc.constantFrom("process" as const, "session" as const, "workspace" as const, "global" as const),
    pattern: fc.constantFrom("*", '{"body":"find*', "no match"),
    agent: fc.constantFrom("main", "other"),
    expiresAt: fc.constantFrom(500, 5000),
    reason: fc.constantFrom("one", "two"),
  },
  { requiredKeys: ["toolName", "effect", "scope"] },
);

describe("rules", () => {
  // C46
  it("deny as soon as one deny applies, in whatever scope, however many allows there are", () => {
    expect(named({ pattern: "*", scope: "process" }, { effect: "deny", scope: "global" })).toBe("rule-1");
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 8 }), (rules) => {
        const applying = stored(rules).filter((rule) => ruleApplies(rule, spawnCall, moment));
        const decision = decideByRules(stored(rules), spawnCall, moment);
        const expected = applying.some((rule) => rule.effect === "deny") ? "deny" : applying[0] && "allow";
        expect(decision?.effect).toBe(expected);
      }),
    );
  });

  // C47
  it("name a rule with a pattern before a bare one, then the narrowest scope", () => {
    expect(named({ scope: "process" }, { pattern: "*", scope: "global" })).toBe("rule-1");
    expect(named({ scope: "global" }, { scope: "workspace" }, { scope: "session" })).toBe("rule-2");
    expect(named({ pattern: "*", scope: "workspace" }, { pattern: "*", scope: "process" })).toBe("rule-1");
  });

  // C49
  it("never depend on the order in which they were made", () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 8 }), fc.infiniteStream(fc.nat(1000)), (rules, ranks) => {
        const keyed = rules.map((rule) => [ranks.next().value as number, rule] as const);
        const shuffled = keyed.toSorted(([left], [right]) => left - right).map(([, rule]) => rule);
        const content = (list: readonly ApprovalRule[]): unknown => {
          const decision = decideByRules(stored(list), spawnCall, moment);
          return decision && { ...decision.rule, id: undefined, createdAt: undefined };
        };
        expect(content(shuffled)).toEqual(content(rules));
      }),
    );
  });

  it("say nothing when none applies", () => {
    expect(named()).toBeUndefined();
    expect(named({ agent: "other" }, { toolName: "write" })).toBeUndefined();
  });
});

describe("memoryRuleStore", () => {
  it.each([
    [{ effect: "maybe" }, "effect"],
    [{ scope: "galaxy" }, "scope"],
    [{ toolName: "" }, "toolName"],
    [{ expiresAt: Number.POSITIVE_INFINITY }, "expiresAt"],
    [{ agent: 7 }, "agent"],
    [{ pattern: 7 }, "pattern"],
    [{ pattern: {} }, "pattern"],
    [{ pattern: { exact: Number.NaN } }, "pattern"],
    [{ pattern: { fields: { path: 7 } } }, "pattern.fields.path"],
    [{ pattern: "src/*", toolName: "write" }, "pattern"],
  ])("refuses a rule that could never be applied as written: %j", (change, field) => {
    const store = memoryRuleStore();
    expect(() => store.add(spawnRule(change as never))).toThrow(
      expect.objectContaining({ code: "invalid_rule", details: expect.objectContaining({ field }) }),
    );
    expect(store.list()).toEqual([]);
    expect(store.add(spawnRule({ pattern: "*" })).id).toBeTypeOf("string");
  });

  it("refuses what is no rule at all", () => {
    expect(() => memoryRuleStore().add(undefined as never)).toThrow(
      expect.objectContaining({ code: "invalid_rule" }),
    );
  });

  it("cannot be changed through what it gives away", () => {
    const store = memoryRuleStore({ rules: [spawnRule({ pattern: { fields: { body: "a" } } })] });
    const [rule] = store.list();
    const pattern = rule?.pattern as { fields: { body: string } };
    expect(() => {
      pattern.fields.body = "*";
    }).toThrow(TypeError);
  });
});
