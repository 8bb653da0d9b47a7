import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columns, terminalText } from "../../src/cli/terminal/output-format.ts";

describe("terminalText", () => {
  it("keeps words, layout and symbols", () => {
    const text = "if x:\n\treturn            1 // naïve 👩‍💻 日本\n";
    expect(terminalText(text)).toBe(text);
  });

  it.each([
    ["\u001B[2J", "\\u{1b}[2J"],
    ["\u009B2J", "\\u{9b}2J"],
    ["a\u202Eb", "a\\u{202e}b"],
    ["a\u2028b", "a\\u{2028}b"],
    ["line\r\nover\rwritten", "line\noverwritten"],
  ])("shows %j as %j", (text, shown) => {
    expect(terminalText(text)).toBe(shown);
  });

  it("lets nothing through that moves a cursor, in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(terminalText(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });
});

describe("columns", () => {
  it("makes every column as wide as its widest cell, without blanks at the end", () => {
    expect(columns([["a", "bb"], ["ccc", "d"], ["e"]])).toBe("a    bb\nccc  d\ne");
  });
});
