import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAgentFile } from "../../src/agents/index.ts";
import { planChild } from "../../src/index.ts";
import { parent } from "../fixtures.ts";

const reviewer = `---
name: reviewer
description: "Reads a change: says what is wrong"   
tools: read, list
model: openai/small   
# a remark
---

You review.

Be brief.
`;
const parse = (text: string) =>
  parseAgentFile(text, {
    file: "agents/a.md",
    models: (name) => (name === "big" ? { provider: "p", id: "big-1" } : undefined),
  });
const front = (...lines: string[]): string => ["---", "name: a", ...lines, "---", "Do it."].join("\n");
const problems = (text: string): string[] => {
  try {
    parse(text);
    return [];
  } catch (error) {
    const { code, details } = error as {
      code: string;
      details: { problems: { line: number; problem: string }[] };
    };
    expect(code).toBe("agent_files");
    return details.problems.map(({ line, problem }) => `${line} ${problem}`);
  }
};

describe("an agent file", () => {
  it("says who a child is, and the plan is made from it", () => {
    const { name, spec, description, file } = parse(reviewer);
    expect([name, file]).toEqual(["reviewer", "agents/a.md"]);
    const plan = planChild(parent, spec, { widen: "refuse" });
    expect(plan.preview()).toEqual({
      model: { id: "small", provider: "openai" },
      roster: { offered: ["list", "read"] },
      system: "replaced",
    });
    expect(plan.system).toBe("You review.\n\nBe brief.");
    expect(description).toEqual({
      name: "reviewer",
      description: "Reads a change: says what is wrong",
      tools: ["list", "read"],
      model: { provider: "openai", id: "small" },
      system: "You review.\n\nBe brief.",
    });
  });

  it("that says nothing overrides nothing", () => {
    const plan = planChild(parent, parse("---\nname: plain\nmodel: inherit\n---\n").spec);
    expect(plan.preview()).toBeUndefined();
    expect(planChild(parent, parse(front()).spec).preview()).toEqual({ system: "replaced" });
  });

  it("takes disallowed tools away, from its own list or from the parent's", () => {
    const hidden = planChild(parent, parse(front("disallowedTools: [write, spawn]")).spec);
    expect([hidden.roster.allows("read"), hidden.roster.allows("write")]).toEqual([true, false]);
    const both = planChild(
      parent,
      parse(front("tools:", "  - read", "  - 'write'", "disallowedTools: write")).spec,
    );
    expect(both.preview()).toMatchObject({ roster: { offered: ["read"] } });
  });

  it("names a model by provider, or by a name that the host knows", () => {
    expect(parse(front("model: a/b/c")).spec.model).toEqual({ provider: "a", id: "b/c" });
    expect(parse(front("model: big")).spec.model).toEqual({ provider: "p", id: "big-1" });
    expect(problems(front("model: small"))).toEqual([
      "3 'model' is 'small', which is neither provider/id nor a model name of this host",
    ]);
  });

  it.each([
    ["no front matter", "You review.", "1 a front matter is missing: begin the file with a line ---"],
    ["no end", "---\nname: a\n", "1 the front matter does not end: close it with a line ---"],
    ["no name", "---\nmodel: a/b\n---\n", "1 'name' is missing"],
    ["an unknown key", front("tolls: read"), "3 'tolls' is no key of an agent file; did you mean 'tools'?"],
    ["a key far off", front("permissionMode: x"), "3 'permissionMode' is no key of an agent file"],
    [
      "another spelling",
      front("disallowed-tools: x"),
      "3 'disallowed-tools' is no key of an agent file; did you mean 'disallowedTools'?",
    ],
    ["a key twice", front("model: a/b", "model: a/c"), "4 'model' is there twice"],
    ["a bad name", "---\nname: a b\n---\n", "2 'name' is not made of letters, digits, - and _, at most 64"],
    ["a list for a text", front("description: [a]"), "3 'description' is a list, not a text"],
    ["a folded text", front("description: >"), "3 'description' begins with >: put the text in quotes"],
    ["a colon", front("description: Use: it"), "3 'description' holds ` #` or `: `: put the text in quotes"],
    ["a remark behind", front("model: a/b # x"), "3 'model' holds ` #` or `: `: put the text in quotes"],
    ["an odd blank", front("model:\u00a0a/b"), "3 holds an invisible character, \\u{a0}"],
    ["an anchor", front("description: &a x"), "3 'description' begins with &: put the text in quotes"],
    [
      "an open quote",
      front('description: "a'),
      "3 'description' is no text in double quotes as JSON writes it",
    ],
    ["an open list", front("tools: [a"), "3 'tools' is a list that does not end on its line"],
    ["an empty list", front("tools: []"), "3 'tools' is an empty list: leave the key out, or name something"],
    ["a list in a list", front("tools: [a, [b]]"), "3 'tools' is a list within a list"],
    ["items at odds", front("tools:", "- a", "  - b"), "5 is indented otherwise than the item above it"],
    ["no value", front("tools:"), "3 'tools' has no value"],
    ["a nested map", front("tools:", "  read: true"), "3 'tools' has no value"],
    [
      "a pattern",
      front("tools: 'Bash(git *)'"),
      "3 'tools' holds 'Bash(git *)', which is no tool name: patterns belong into rules, and all tools are meant by leaving the key out",
    ],
    [
      "all tools",
      front('tools: "*"'),
      "3 'tools' holds '*', which is no tool name: patterns belong into rules, and all tools are meant by leaving the key out",
    ],
  ])("with %s is refused with its line", (_, text, problem) => {
    expect(problems(text)[0]).toBe(problem);
  });

  it("tells all its problems at once, in the order of their lines", () => {
    expect(problems(front("tolls: x", "model: y", "name: z"))).toHaveLength(3);
    expect(() => parse(front("tolls: x", "modle: y"))).toThrow(/agents\/a\.md:3 .*\nagents\/a\.md:4 /);
  });

  it("reads any text as an agent or as problems with lines that it has", () => {
    const line = fc.constantFrom(
      "---",
      "name: a",
      "tools: a, b",
      "tools:",
      "- a",
      "model: a/b",
      "x",
      "",
      "#",
      "description: 'x'",
      "a: [",
      "é: 1",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"), (lines, ending) => {
        const text = lines.join(ending);
        for (const problem of problems(text)) {
          expect(Number.parseInt(problem, 10)).toBeGreaterThan(0);
          expect(Number.parseInt(problem, 10)).toBeLessThanOrEqual(Math.max(1, lines.length));
        }
      }),
    );
  });
});
