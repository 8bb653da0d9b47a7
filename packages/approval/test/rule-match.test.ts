import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RuleSubject } from "../src/index.ts";
import { ruleApplies } from "../src/rule-match.ts";
import type { ApprovalRule, FieldPattern } from "../src/rule.ts";
import { matchesWildcard } from "../src/wildcard.ts";
import { commandCall, spawnCall, writeCall } from "./fixtures.ts";

const moment = { nowMs: 1000 };
const rule = (change: Partial<ApprovalRule>): ApprovalRule => ({
  toolName: "write",
  effect: "allow",
  scope: "global",
  ...change,
});
const applies = (change: Partial<ApprovalRule>, call: RuleSubject = writeCall): boolean =>
  ruleApplies(rule(change), call, moment);
const onSpawn = (
  pattern: string,
  call: RuleSubject = spawnCall,
  effect: "allow" | "deny" = "allow",
): boolean => applies({ toolName: "spawn", pattern, effect }, call);
const write = (input: RuleSubject["input"]): RuleSubject => ({ ...writeCall, input });
const fields = (patterns: Record<string, FieldPattern>) => ({ pattern: { fields: patterns } });

/** The obvious definition, for comparison: slow, but plainly right. */
function slowMatch(pattern: readonly string[], text: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return text.length === 0;
  if (head === "*") return slowMatch(rest, text) || (text.length > 0 && slowMatch(pattern, text.slice(1)));
  return text.length > 0 && (head === "?" || head === text[0]) && slowMatch(rest, text.slice(1));
}

describe("a pattern", () => {
  const piece = fc.constantFrom("a", "b", "/", "é", "😀", "*", "?");
  const text = fc.array(fc.constantFrom("a", "b", "/", "é", "😀"), { maxLength: 8 });

  it("matches exactly what its definition says", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), text, (pattern, chars) => {
        expect(matchesWildcard(pattern.join(""), chars.join(""))).toBe(slowMatch(pattern, chars));
      }),
      { numRuns: 2000 },
    );
  });

  it("without wildcards matches itself alone", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        fc.pre(!/[*?]/.test(left));
        expect(matchesWildcard(left, right)).toBe(left === right);
      }),
    );
  });

  // C44
  it.each([
    ["is anchored at both ends", "src", "src/a", false],
    ["crosses slashes with *", "/repo/*", "/repo/a/b/c", true],
    ["matches nothing at all with *", "src*", "src", true],
    ["takes one code point with ?", "?", "😀", true],
    ["takes no more than one with ?", "?", "ab", false],
    ["takes no less than one with ?", "a?", "a", false],
    ["reads everything else literally", "a.[b]{c}\\d", "a.[b]{c}\\d", true],
    ["does not read a dot as any character", "a.c", "abc", false],
  ])("%s", (_, pattern, value, expected) => {
    expect(matchesWildcard(pattern, value)).toBe(expected);
  });

  it("stays fast where a naive matcher explodes", () => {
    expect(matchesWildcard("*a".repeat(40) + "b", "a".repeat(20_000))).toBe(false);
  });
});

describe("a whole-text rule for spawn", () => {
  // C45
  it("matches the canonical JSON of the preview, with a cwd rule that covers deeper directories", () => {
    const cwdRule = '{"body":"*","cwd":"/repo/*","mode":"agent","target":"local"}';
    expect(onSpawn(cwdRule)).toBe(true);
    expect(
      onSpawn(cwdRule, { ...spawnCall, preview: { ...(spawnCall.preview as object), cwd: "/other" } }),
    ).toBe(false);
  });

  it("made for a plain delegation does not cover a child that a policy made another", () => {
    const pattern = '{"body":"*","cwd":"/repo/src","mode":"agent","target":"local"}';
    const child = { system: "replaced" };
    expect(onSpawn(pattern)).toBe(true);
    expect(onSpawn(pattern, { ...spawnCall, preview: { ...(spawnCall.preview as object), child } })).toBe(
      false,
    );
  });

  it("never allows a command through a wildcard, and denies one", () => {
    expect(onSpawn('{"body":"git *"*', commandCall)).toBe(false);
    expect(onSpawn("*", commandCall)).toBe(false);
    expect(applies({ toolName: "spawn" }, commandCall)).toBe(false);
    const exact = '{"body":"git status","cwd":"/repo","mode":"command","target":"local"}';
    expect(onSpawn(exact, commandCall)).toBe(true);
    expect(onSpawn('{"body":"git *"*', commandCall, "deny")).toBe(true);
  });

  it("means nothing as an allow for another tool, and denies there", () => {
    expect(applies({ pattern: "*" })).toBe(false);
    expect(applies({ pattern: "*", effect: "deny" })).toBe(true);
  });
});

// S18
describe("a rule by fields", () => {
  it("matches inside one string value and nowhere else", () => {
    expect(applies(fields({ path: "src/*", text: "*" }))).toBe(true);
    expect(applies(fields({ path: 'src/*","text":"*', text: "*" }))).toBe(false);
    expect(applies(fields({ path: "src/*", text: "*" }), write({ path: ["src/a"], text: "" }))).toBe(false);
    expect(applies(fields({ path: { equals: "src/a.ts" }, text: "*" }))).toBe(true);
  });

  it("never allows a call with a field it does not mention", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, value) => {
        fc.pre(name !== "path" && name !== "text" && !/\p{Surrogate}/u.test(name));
        const extended = { ...(writeCall.input as object), [name]: value } as RuleSubject["input"];
        fc.pre(Object.keys(extended as object).length === 3);
        expect(applies(fields({ path: "*", text: "*" }), write(extended))).toBe(false);
      }),
    );
  });

  it("denies whatever other fields a call brings along", () => {
    const secrets = { ...fields({ path: "secrets/*" }), effect: "deny" } as const;
    expect(applies(secrets, write({ path: "secrets/key", text: "", extra: 1 }))).toBe(true);
    expect(applies(secrets, write({ path: "src/key", text: "" }))).toBe(false);
    expect(applies(secrets, write({ text: "" }))).toBe(false);
  });

  it("denies when it cannot tell: another type, another shape, an unreadable rule", () => {
    const secrets = { ...fields({ path: "secrets/*" }), effect: "deny" } as const;
    expect(applies(secrets, write({ path: ["secrets/key"] }))).toBe(true);
    expect(applies(secrets, write("secrets/key"))).toBe(true);
    expect(applies({ effect: "deny", pattern: 7 as never })).toBe(true);
    expect(applies({ effect: "allow", pattern: 7 as never })).toBe(false);
  });

  it.each([
    "src/../../etc/passwd",
    "./src/a",
    "src/./a",
    "src\\..\\a",
    "src/%2e%2E/a",
    "src/%252e./a",
    "src/..%2fa",
    "src/..%5Ca",
    "src/.\t./a",
    "src/.. /a",
    "src/\uff0e\uff0e/a",
    "src/\u2025/a",
    "src/..\uff0fa",
    "src/.\u200b./a",
    "src/\u0000../a",
    "src/%u002e%u002e/a",
    "src/.%00./a",
  ])("does not allow %s through a wildcard, but as this exact text", (path) => {
    expect(applies(fields({ path: "*src*", text: "*" }), write({ path, text: "" }))).toBe(false);
    expect(applies(fields({ path, text: "*" }), write({ path, text: "" }))).toBe(true);
  });

  it.each([
    "a/../secrets/key",
    "./secrets/key",
    "secrets//key",
    "secrets\\key",
    "/x/../../secrets/key",
    "secrets/key/",
    "secrets/key//.",
    "%73ecrets/%2e/key",
    "Secrets/KEY",
    "sec\u200brets/key",
    "secrets/key\u0000",
    "\u202esecrets/key",
    "S\uff45crets/%6bey",
    "secrets%2Fkey",
    "secrets/\uff4bey",
    "secr\tets/key",
  ])("denies %s by where it leads", (path) => {
    expect(applies({ effect: "deny", ...fields({ path: "*secrets/key" }) }, write({ path, text: "" }))).toBe(
      true,
    );
  });

  it("goes on allowing dots that are no segment, and denying text in any Unicode form", () => {
    const path = (value: string) => write({ path: value, text: "" });
    for (const name of ["src/.env", "src/a..b", "src/...x", "src/100%", "src/caf\u00e9"]) {
      expect(applies(fields({ path: "src/*", text: "*" }), path(name))).toBe(true);
    }
    const cafe = { effect: "deny", ...fields({ path: "caf\u00e9/*" }) } as const;
    expect(applies(cafe, path("cafe\u0301/menu"))).toBe(true);
    expect(applies(cafe, path("cafe/menu"))).toBe(false);
  });

  it("reads names from outside as own fields only", () => {
    expect(applies(fields({ constructor: "*", text: "*" }), write({ path: "a", text: "b" }))).toBe(false);
  });
});

describe("a rule's conditions", () => {
  it("are its tool and its agent", () => {
    expect(applies({})).toBe(true);
    expect(applies({ toolName: "read" })).toBe(false);
    expect(applies({ agent: "main" })).toBe(true);
    expect(applies({ agent: "other" })).toBe(false);
  });

  // C48
  it("end the rule at the very moment of its expiry", () => {
    expect(applies({ expiresAt: 1001 })).toBe(true);
    expect(applies({ expiresAt: 1000 })).toBe(false);
    expect(applies({ expiresAt: Number.NaN })).toBe(false);
    expect(applies({ expiresAt: Number.NaN, effect: "deny" })).toBe(true);
  });

  it("are its session and its workspace", () => {
    expect(applies({ scope: "session", within: "session-1" })).toBe(true);
    expect(applies({ scope: "session", within: "session-2" })).toBe(false);
    expect(applies({ scope: "session" })).toBe(true);
    expect(applies({ scope: "workspace", within: "/repo" })).toBe(true);
    expect(applies({ scope: "workspace", within: "/repo/deeper" })).toBe(false);
    const nowhere = { ...writeCall, sessionId: undefined };
    expect(applies({ scope: "session", within: "session-1" }, nowhere)).toBe(false);
    expect(applies({ scope: "session", within: "session-1", effect: "deny" }, nowhere)).toBe(true);
  });

  // S18
  it("let an allow lapse when another tool stands behind the name, and keep a deny", () => {
    const made = { toolIdentity: "sha256:one" };
    expect(applies(made, { ...writeCall, toolIdentity: "sha256:one" })).toBe(true);
    expect(applies(made, { ...writeCall, toolIdentity: "sha256:two" })).toBe(false);
    expect(applies(made)).toBe(false);
    expect(applies({ ...made, effect: "deny" }, { ...writeCall, toolIdentity: "sha256:two" })).toBe(true);
  });
});
