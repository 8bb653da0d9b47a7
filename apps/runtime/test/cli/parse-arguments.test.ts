import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineCommand, type Command } from "../../src/cli/arguments/command.ts";
import { exitCode, UsageError } from "../../src/cli/terminal/exit-code.ts";
import { choice, count, duration, flag, text } from "../../src/cli/arguments/option.ts";
import { asksForHelp, parseArguments } from "../../src/cli/arguments/parse-arguments.ts";

const command: Command = defineCommand({
  name: "try",
  about: "For tests.",
  word: { name: "WORD", about: "a word", required: false },
  options: {
    flag: flag("f"),
    name: text("NAME", "n"),
    mode: choice(["one", "two"], "m"),
    times: count(1, "t"),
    within: duration("w"),
  },
  examples: [],
  run: async () => exitCode.ok,
});

const problems = (...argv: string[]): readonly string[] => {
  try {
    parseArguments(argv, command);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.problems.slice(0, -1);
  }
};

describe("parseArguments", () => {
  it("reads options with a space or an equals sign, flags, and one word anywhere", () => {
    expect(
      parseArguments(["--name", "a b", "word", "--mode=two", "--flag", "--times", "3"], command),
    ).toEqual({
      word: "word",
      options: { name: "a b", mode: "two", flag: true, times: 3 },
    });
  });

  it("keeps an equals sign inside a value", () => {
    expect(parseArguments(["--name=a=b"], command).options).toEqual({ name: "a=b" });
  });

  it("takes the last of an option that is given twice", () => {
    expect(parseArguments(["--times", "1", "--times", "2"], command).options).toEqual({ times: 2 });
  });

  it("takes a lone dash, and whatever follows --, as a word", () => {
    expect(parseArguments(["-"], command).word).toBe("-");
    expect(parseArguments(["--flag", "--", "--name"], command)).toEqual({
      word: "--name",
      options: { flag: true },
    });
  });

  it.each([
    [
      ["--nam", "x"],
      ["unknown option '--nam'; did you mean --name?", "unexpected argument"],
    ],
    [["-x"], ["unknown option '-x'"]],
    [["--constructor", "x"], ["unknown option '--constructor'"]],
    [["--name"], ["--name needs a value: --name NAME"]],
    [["--name", "--flag"], ["--name needs a value"]],
    [["--name="], ["--name needs a value that is not empty"]],
    [["--flag=1"], ["--flag takes no value"]],
    [["--mode", "three"], ["--mode takes one, two, not 'three'"]],
    [["--times", "0"], ["--times takes a whole number of at least 1, not '0'"]],
    [["--within", "0s"], ["--within takes a duration"]],
    [["--within", "900h"], ["--within takes a duration"]],
    [["a", "b", "c"], ["unexpected argument 'b'"]],
  ])("refuses %j, telling every problem", (argv, told) => {
    const found = problems(...argv);
    for (const each of told.slice(0, 1)) expect(found[0]).toContain(each);
    expect(found.length).toBeGreaterThan(0);
  });

  it("reads every duration that it writes about", () => {
    const read = (given: string): unknown => parseArguments(["--within", given], command).options["within"];
    expect(["500ms", "90s", "1.5s", "10m", "1h"].map(read)).toEqual([500, 90_000, 1500, 600_000, 3_600_000]);
  });

  it("answers or refuses any arguments, and never throws anything else", () => {
    const token = fc.oneof(fc.constantFrom("--flag", "--name", "--", "-", "--mode=one", "word"), fc.string());
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), (argv) => {
        expect(problems(...argv)).toBeInstanceOf(Array);
      }),
    );
  });
});

describe("asksForHelp", () => {
  it("looks before a -- alone", () => {
    expect(asksForHelp(["x", "--help"])).toBe(true);
    expect(asksForHelp(["-h"])).toBe(true);
    expect(asksForHelp(["--", "--help"])).toBe(false);
  });
});
