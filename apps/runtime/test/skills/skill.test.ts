import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSkill } from "../../src/skills/skill.ts";
import { skillsInWords } from "../../src/skills/skill-list.ts";

const file = (front: string, body = "Do it so."): string => `---\n${front}\n---\n${body}\n`;

describe("a SKILL.md", () => {
  it("is read with every key of the open format, in each way that YAML writes a text", () => {
    const text = file(
      `# a comment
name: release-notes
description: >-
  Writes the notes
  of a release.

  Use it for tags.
license: 'it''s MIT'
compatibility: "needs git: any"
metadata:
  author: somebody
  version: "1.0"
allowed-tools: read search
  list`,
      "# How\n\nDo it so.",
    );
    expect(readSkill(text, "release-notes")).toEqual({
      facts: {
        name: "release-notes",
        description: "Writes the notes of a release.\nUse it for tags.",
        allowedTools: ["read", "search", "list"],
      },
      body: "# How\n\nDo it so.",
    });
    const literal = readSkill(file("name: x\ndescription: |\n  one\n    two"), "x");
    expect(literal).toMatchObject({ facts: { description: "one\n  two" } });
  });

  it.each([
    ["no front matter", "name: x\n", 1, "begin the file with a line ---"],
    ["no end of it", "---\nname: x\n", 1, "close it with a line ---"],
    ["no name", file("description: d"), 1, "'name' is missing"],
    ["no description", file("name: x"), 1, "'description' is missing"],
    ["no instructions", file("name: x\ndescription: d", ""), 1, "says nothing below"],
    ["another folder's name", file("name: y\ndescription: d"), 2, "its folder 'x'"],
    ["a name that is none", file("name: X--y\ndescription: d"), 2, "lower-case letters and digits"],
    [
      "an unknown key",
      file("name: x\ndescripton: d"),
      3,
      "'descripton' is no key of a skill; did you mean 'description'?",
    ],
    ["a key twice", file("name: x\nname: x\ndescription: d"), 3, "'name' is there twice"],
    [
      "a description that YAML reads otherwise",
      file("name: x\ndescription: use: so"),
      3,
      "put the text in quotes",
    ],
    [
      "a list",
      file("name: x\ndescription: d\nallowed-tools: [a]"),
      4,
      "begins with [: put the text in quotes",
    ],
    [
      "a map of maps",
      file("name: x\ndescription: d\nmetadata:\n  a: b\n  c:\n    d: e"),
      6,
      "no `key: text` of a map",
    ],
    ["a text as map", file("name: x\ndescription: d\nmetadata: a"), 4, "'metadata' is a text"],
    ["a map as text", file("name: x\ndescription:\n  a: b"), 3, "'description' is a map"],
    ["an open quote", file('name: x\ndescription: "d'), 3, "double quotes as JSON writes it"],
    ["an invisible character", file("name: x\ndescription: d\u202e"), 3, "\\u{202e}"],
    ["a line that is nothing", file("name: x\n???\ndescription: d"), 3, "is no `key: value`"],
    ["too long a description", file(`name: x\ndescription: ${"d".repeat(1025)}`), 3, "at most 1024"],
    [
      "too long a compatibility",
      file(`name: x\ndescription: d\ncompatibility: ${"d".repeat(501)}`),
      4,
      "at most 500",
    ],
    ["an empty block", file("name: x\ndescription: >\nlicense: y"), 3, "'description' is empty"],
  ])("with %s is refused with the line", (_what, text, line, told) => {
    const read = readSkill(text, "x");
    if (!("problems" in read)) throw new Error(JSON.stringify(read));
    expect(read.problems).toContainEqual({ line, problem: expect.stringContaining(told) as string });
  });

  it("never throws, and is either read or told what is wrong", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (front) => {
        const read = readSkill(file(front), "x");
        expect("problems" in read ? read.problems.length : read.facts.name.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe("the list of skills in a system prompt", () => {
  it("names all, sorted, with their descriptions on one line each; and is empty without any", () => {
    expect(skillsInWords([])).toBe("");
    const list = skillsInWords([
      { name: "b", description: "second\nline \u202e" },
      { name: "a", description: "first" },
    ]);
    expect(list.split("\n").slice(1)).toEqual(["- a: first", "- b: second line \\u{202e}"]);
  });

  it("stays within its budget whatever is described, and cuts the longest first", () => {
    const description = fc.string({ minLength: 1, maxLength: 1024 });
    fc.assert(
      fc.property(fc.array(description, { minLength: 1, maxLength: 200 }), (descriptions) => {
        const list = skillsInWords(descriptions.map((each, at) => ({ name: `s${at}`, description: each })));
        expect(list.length).toBeLessThan(8000 + 200 * 10 + 200);
        expect(list.match(/^- s\d+: /gm)).toHaveLength(descriptions.length);
      }),
      { numRuns: 30 },
    );
    const long = Array.from({ length: 20 }, (_, at) => ({ name: `l${at}`, description: "x".repeat(1000) }));
    const list = skillsInWords([...long, { name: "short", description: "a short one" }]);
    expect(list).toContain("- short: a short one");
    expect(list).toMatch(/- l0: x+…\n/);
  });
});
