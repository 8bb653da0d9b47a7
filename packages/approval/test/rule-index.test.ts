import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@basis/core";
import { decideByRules, memoryRuleStore, type FieldPattern, type StoredRule } from "../src/index.ts";
import { byRank } from "../src/rule-rank.ts";
import type { RuleSubject } from "../src/opened-call.ts";
import { ruleApplies } from "../src/rule-match.ts";

const moment = { nowMs: 1000 };
const FULL_WIDTH_STAR = "\uff0a";

/** Few pieces, so that rules and calls meet: capitals, look-alikes, dots, an encoded slash, halves of a character. */
const piece = fc.constantFrom(
  "src",
  "SRC",
  "a",
  "/",
  "\\",
  "..",
  ".",
  "%2f",
  "\uff0f",
  "\u{1f600}",
  "\ud83d",
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const pattern = fc.oneof(
  fc
    .array(fc.oneof(piece, fc.constantFrom("*", "?", FULL_WIDTH_STAR)), { maxLength: 5 })
    .map((pieces) => pieces.join("")),
  piece.map((held) => `*${held}*`),
);
const other = fc.constantFrom<JsonValue>(7, 0, -0, null, ["a"], { b: 1 }, Number.NaN);
const value = fc.oneof({ arbitrary: text, weight: 4 }, { arbitrary: other, weight: 1 });
const field: fc.Arbitrary<FieldPattern> = fc.oneof(
  pattern,
  value.map((equals) => ({ equals })),
);
const names = fc.constantFrom("path", "cwd", "text");
const fieldsOf = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(names, values, { maxKeys: 3 });
const undefinedToo = fc.oneof(
  { arbitrary: value, weight: 20 },
  { arbitrary: fc.constant(undefined as never), weight: 1 },
);

const call: fc.Arbitrary<RuleSubject> = fc.record({
  agentId: fc.constantFrom("main", "other"),
  toolName: fc.constantFrom("write", "spawn"),
  input: fc.oneof({ arbitrary: fieldsOf(undefinedToo), weight: 9 }, { arbitrary: value, weight: 1 }),
  sessionId: fc.constantFrom("s1", "s2"),
  workspace: fc.constant("/repo"),
  toolIdentity: fc.constantFrom("v1", "v2"),
});

const rule = fc.record(
  {
    toolName: fc.constantFrom("write", "spawn"),
    effect: fc.constantFrom("allow" as const, "deny" as const),
    scope: fc.constantFrom("process" as const, "session" as const, "workspace" as const, "global" as const),
    within: fc.constantFrom("s1", "s2", "/repo"),
    agent: fc.constantFrom("main", "other"),
    expiresAt: fc.constantFrom(500, 1000, 5000),
    toolIdentity: fc.constantFrom("v1", "v2"),
    pattern: fc.oneof(
      { arbitrary: fieldsOf(field).map((fields) => ({ fields })), weight: 6 },
      { arbitrary: fieldsOf(value).map((exact) => ({ exact })), weight: 2 },
      fieldsOf(value).map((fields) => `${(JSON.stringify(fields) ?? "").slice(0, 9)}*`),
    ),
  },
  { requiredKeys: ["toolName", "effect", "scope"] },
);

const freeze = <T>(part: T): T => {
  if (typeof part === "object" && part !== null) Object.values(part).forEach(freeze);
  return Object.freeze(part);
};

/** What looking at each rule says. */
function plainly(rules: readonly StoredRule[], subject: RuleSubject): StoredRule | undefined {
  const applying = rules.filter((one) => ruleApplies(one, subject, moment)).toSorted(byRank);
  return applying.find(({ effect }) => effect === "deny") ?? applying[0];
}

describe("many rules", () => {
  // C44–C50, S18
  it("give by their index exactly the verdict that looking at each gives", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 12 }),
        fc.array(call, { minLength: 1, maxLength: 4 }),
        (list, calls) => {
          const rules = list.map((one, at): StoredRule => ({ ...one, id: `rule-${at}`, createdAt: at }));
          const sorted = freeze(structuredClone(rules));
          for (const subject of calls) {
            expect(decideByRules(sorted, subject, moment)?.rule.id).toBe(plainly(rules, subject)?.id);
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  it("are found by what a text has to hold, in any reading of it", () => {
    const store = memoryRuleStore();
    const ids = Array.from({ length: 40 }, (_, at) => {
      const pattern = { fields: { path: `*Secret-${at}.*` } };
      return store.add({ toolName: "write", effect: "deny", scope: "global", pattern }).id;
    });
    const decide = (path: string): string | undefined => {
      const subject = { agentId: "main", toolName: "write", input: { path } };
      return decideByRules(store.find({ toolName: "write" }), subject, moment)?.rule.id;
    };
    for (const path of ["a/Secret-7.env", "Secret-7.", "a/secret-7.ENV", "b/SEC%52ET-7.x", "\uff33ecret-7.a"])
      expect(decide(path)).toBe(ids[7]);
    expect(decide("a/secret-70.env")).toBeUndefined();
  });

  it("are found by the text that tells them apart, among those that share every other", () => {
    const store = memoryRuleStore();
    const ids = Array.from({ length: 1000 }, (_, at) => {
      const path = at % 2 === 0 ? `src/module-${at}/*` : `*/module-${at}.ts`;
      const fields = { cwd: { equals: "/repo" }, path };
      return store.add({ toolName: "write", effect: "allow", scope: "global", pattern: { fields } }).id;
    });
    const decide = (path: string): string | undefined => {
      const subject = { agentId: "main", toolName: "write", input: { cwd: "/repo", path } };
      return decideByRules(store.find({ toolName: "write" }), subject, moment)?.rule.id;
    };
    expect(decide("src/module-500/a.ts")).toBe(ids[500]);
    expect(decide("src/module-501.ts")).toBe(ids[501]);
    expect(decide("src/module-501/a.ts")).toBeUndefined();
    expect(store.revoke(ids[500]!)).toBe(true);
    expect(decide("src/module-500/a.ts")).toBeUndefined();
    const fields = { path: "src/module-502/*" };
    store.add({ toolName: "write", effect: "deny", scope: "global", pattern: { fields } });
    expect(decide("SRC/./Module-502/a.ts")).not.toBe(ids[502]);
  });

  it("that all match one call are read to the first that decides", () => {
    let looks = 0;
    const counted = (rule: StoredRule): StoredRule =>
      new Proxy(rule, { get: (of, key) => ((looks += key === "agent" ? 1 : 0), Reflect.get(of, key)) });
    const list = (effect: "allow" | "deny"): readonly StoredRule[] =>
      Object.freeze(
        Array.from({ length: 1000 }, (_, at) => {
          const pattern = { fields: { path: at % 2 === 0 ? "src/*" : "*.ts" } };
          const said = { toolName: "write", effect, scope: "global" as const, reason: `because ${at}` };
          return counted(freeze({ ...said, id: `${at}`, createdAt: at, pattern }));
        }),
      );
    const subject = { agentId: "main", toolName: "write", input: { path: "src/a.ts" } };
    for (const rules of [list("allow"), list("deny")]) {
      expect(decideByRules(rules, subject, moment)?.rule.reason).toBe("because 1");
      looks = 0;
      expect(decideByRules(rules, subject, moment)?.rule.reason).toBe("because 1");
      expect(looks).toBeLessThanOrEqual(2);
    }
  });

  it("that somebody could still change are looked at one by one", () => {
    const fields: Record<string, string> = { path: "a" };
    const open: StoredRule = Object.freeze({
      id: "1",
      createdAt: 0,
      toolName: "write",
      effect: "deny",
      scope: "global",
      pattern: { fields },
    });
    const rules = Object.freeze([open]);
    const says = (path: string): string | undefined =>
      decideByRules(rules, { agentId: "main", toolName: "write", input: { path } }, moment)?.effect;
    expect([says("a"), says("b")]).toEqual(["deny", undefined]);
    fields["path"] = "b";
    expect([says("a"), says("b")]).toEqual([undefined, "deny"]);
  });
});
