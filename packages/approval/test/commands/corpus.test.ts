import { describe, expect, it } from "vitest";
import { openCommandRules } from "../../src/commands/index.ts";
import { decideByRules, type CommandJudge, type StoredRule } from "../../src/index.ts";
import { corpus, shellCall, storedRules, type Verdict } from "./corpus.ts";

const commands = await openCommandRules({ gitMayRun: () => false });

function verdict(body: string, rules: string): Verdict {
  return decideByRules(storedRules(rules), shellCall(body), { nowMs: 1, commands })?.effect ?? "ask";
}

// R1, R2, R3, S13
describe("the corpus of commands", () => {
  it("holds at least 300, each once under its rules", () => {
    const keys = corpus.groups.flatMap(({ rules, commands: list }) =>
      list.map((body) => `${rules}\n${body}`),
    );
    expect(keys.length).toBeGreaterThanOrEqual(300);
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it.each(corpus.groups)("is judged as expected: $kind, $verdict under '$rules'", (group) => {
    const wrong = group.commands.filter((body) => verdict(body, group.rules) !== group.verdict);
    expect(wrong).toEqual([]);
  });

  it("is judged the same whatever the order of the rules", () => {
    for (const { rules, commands: list, verdict: expected } of corpus.groups) {
      const reversed = storedRules(rules).toReversed();
      const [body] = list;
      const decided = decideByRules(reversed, shellCall(body!), { nowMs: 1, commands });
      expect(decided?.effect ?? "ask").toBe(expected);
    }
  });

  it("is judged the same by rules that are found and by rules that are each looked at", () => {
    const blind: CommandJudge = {
      view: (call) => {
        const { starts: _starts, ...view } = commands.view(call);
        return view;
      },
    };
    const names = Object.keys(corpus.rules);
    const open = new Map(names.map((name) => [name, crowded(name)]));
    const found = new Map(names.map((name) => [name, frozenThrough(crowded(name))]));
    let decided = 0;
    for (const { rules, commands: list } of corpus.groups) {
      for (const body of list) {
        const call = shellCall(body);
        const one = decideByRules(found.get(rules)!, call, { nowMs: 1, commands });
        const other = decideByRules(open.get(rules)!, call, { nowMs: 1, commands: blind });
        expect([body, one?.effect, one?.rule.id]).toEqual([body, other?.effect, other?.rule.id]);
        if (one !== undefined) decided += 1;
      }
    }
    expect(decided).toBeGreaterThan(200);
  });
});

/** The rules of a set among others that begin with words of the corpus, and allow a word that nothing has. */
function crowded(name: string): readonly StoredRule[] {
  const words = corpus.groups.flatMap(({ commands: list }) =>
    list.slice(0, 1).map((body) => body.split(/\s+/, 2)),
  );
  const others = words.flatMap(([program = "", second = "x"], at): StoredRule[] => {
    const named = [program.replace(/[\s"'`$;&|<>()]/g, "") || "x", second, "no-such-word"];
    const base = { id: `other-${at}`, createdAt: 0, toolName: "spawn", scope: "process" as const };
    return [{ ...base, effect: "allow", pattern: { command: { words: named } } }];
  });
  return [...others, ...storedRules(name)];
}

function frozenThrough<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(frozenThrough);
  return Object.freeze(value);
}
