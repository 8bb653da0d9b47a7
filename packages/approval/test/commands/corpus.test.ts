import { describe, expect, it } from "vitest";
import { openCommandRules } from "../../src/commands/index.ts";
import { decideByRules } from "../../src/index.ts";
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
});
