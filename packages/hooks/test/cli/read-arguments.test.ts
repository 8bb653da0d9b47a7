import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { exitCode, UsageError } from "../../src/cli/exit-code.ts";
import { asksForHelp, readArguments, readCount } from "../../src/cli/read-arguments.ts";

const command: Command = {
  name: "try",
  about: "try things",
  more: [],
  words: { shown: "FILE", about: "a file", least: 0, most: 1 },
  options: { json: { about: "as JSON" }, workspace: { about: "where", value: "DIR" } },
  examples: [],
  run: async () => exitCode.ok,
};

describe("readArguments", () => {
  it("takes values after a space or an equals sign, flags, and words; the last of a value counts", () => {
    const args = readArguments(["--workspace", "a", "file", "--workspace=b", "--json"], command);
    expect(args.words).toEqual(["file"]);
    expect(args.text("workspace")).toBe("b");
    expect([args.has("json"), args.has("workspace")]).toEqual([true, true]);
    expect(args.text("missing")).toBeUndefined();
  });

  it("takes what begins with dashes as a word after two dashes, and as a value after an equals sign", () => {
    expect(readArguments(["--", "--json"], command).words).toEqual(["--json"]);
    expect(readArguments(["--workspace=--x"], command).text("workspace")).toBe("--x");
    expect(readArguments(["-"], command).words).toEqual(["-"]);
    expect(asksForHelp(["--", "--help"])).toBe(false);
    expect(asksForHelp(["x", "--help"])).toBe(true);
  });

  it("does not take a name of every object for an option", () => {
    for (const name of ["constructor", "__proto__", "toString"])
      expect(() => readArguments([`--${name}`], command)).toThrow(UsageError);
  });

  it("answers or refuses with words for any arguments, and shows no control character", () => {
    const words = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("--json", "--workspace"));
    fc.assert(
      fc.property(fc.array(words), (argv) => {
        const { count, problems } = reading(argv);
        expect(count <= 1 && problems.length !== 1).toBe(true);
        expect(problems.join("")).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

/** How many words there are, or what is wrong. */
function reading(argv: readonly string[]): { readonly count: number; readonly problems: readonly string[] } {
  try {
    return { count: readArguments(argv, command).words.length, problems: [] };
  } catch (error) {
    if (error instanceof UsageError) return { count: 0, problems: error.problems };
    throw error;
  }
}

describe("readCount", () => {
  it("takes whole numbers from the least on", () => {
    expect(readCount("runs", "20", 1)).toBe(20);
    for (const text of ["0", "-1", "1.5", "1e3", "x", "", "9999999999"])
      expect(() => readCount("runs", text, 1)).toThrow("--runs takes a whole number of at least 1");
  });
});
