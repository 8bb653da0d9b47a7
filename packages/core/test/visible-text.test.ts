import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { visibleText } from "../src/index.ts";

// S12
describe("visibleText", () => {
  it.each([
    ["an escape sequence", "\u001b[2Kls", "\\u{1b}[2Kls"],
    ["a C1 control", "\u009b31m", "\\u{9b}31m"],
    ["a line feed", "ls\nrm", "ls\\u{a}rm"],
    ["a right-to-left override", "a\u202Etxt.exe", "a\\u{202e}txt.exe"],
    ["a zero-width space", "r\u200Bm", "r\\u{200b}m"],
    ["a no-break space", "rm\u00A0-rf", "rm\\u{a0}-rf"],
    ["a lone surrogate", "a\uD800", "a\\u{d800}"],
    ["a run of spaces that would push text out of sight", `ls${" ".repeat(200)}; rm`, "ls[200 spaces]; rm"],
  ])("shows %s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it("leaves ordinary text of any script alone, and line feeds when told to", () => {
    const text = "git commit -m 'naïve, Überprüfung, 日本語, עברית, 🙂'";
    expect(visibleText(text)).toBe(text);
    expect(visibleText("a\nb", { multiline: true })).toBe("a\nb");
  });

  it("says how much it does not show", () => {
    expect(visibleText("abcdef", { maxChars: 4 })).toBe("abcd… [2 more characters not shown]");
    expect(visibleText("abcd", { maxChars: 4 })).toBe("abcd");
  });

  it("never lets a hidden character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleText(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });
});
