import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/cli/terminal/shell-word.ts";

describe("shellWord", () => {
  it.each([
    ["main-1c2d3e4f", "main-1c2d3e4f"],
    ["a/b.c", "a/b.c"],
    ["two words", "'two words'"],
    ["it's", "'it'\\''s'"],
    ["-x", "'-x'"],
    ["$(x)", "'$(x)'"],
    ["a\u001B[2Jb", "'a\\u{1b}[2Jb'"],
  ])("of %j is %s", (word, shown) => {
    expect(shellWord(word)).toBe(shown);
  });

  it("is read by a shell as the word itself", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,20}$/), (word) => {
        expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(word)}`], { encoding: "utf8" })).toBe(
          word,
        );
      }),
      { numRuns: 30 },
    );
  });
});
