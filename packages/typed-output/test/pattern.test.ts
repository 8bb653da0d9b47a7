import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinear } from "../src/linear-pattern.ts";
import { PatternEffortError, readPattern, withinPatternBudget } from "../src/pattern.ts";

const sources = [
  "^[a-c]+$",
  "a|bc|",
  "(ab|a)(c|bcd)*",
  "^(?:a|b){2,3}c?$",
  "\\bab\\b",
  "\\Ba",
  "^\\d{1,2}\\.\\w*$",
  "[^ab]{0,2}c",
  "(?<year>\\d+)-x",
  "^(a*)*b$",
  "^(a?){3}a{3}$",
  ".a.",
  "a{2,}",
  "^$",
  "\\u0061\\x62",
  "[\\]a-b]+",
  "^(?=.*\\d)(?!.*-)[a-d\\d]{2,}$",
  "(?<=a)b+",
  "(?<!a|bc)d",
  "(?:(?=a.)a|b)*c",
  "^(?!(?=ab).)",
  "(?<=(?<!x)a{1,2})$",
];

describe("the linear matcher", () => {
  it("agrees with the platform's engine", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "c", "d", "1", "2", ".", "-", " ", "x", "]", "\n"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...sources), text, fc.boolean(), (source, given, unicode) => {
        const linear = compileLinear(source, unicode)!;
        expect(linear.test(given)).toBe(new RegExp(source, unicode ? "u" : "").test(given));
      }),
      { numRuns: 5_000 },
    );
  });

  it("reads characters beyond the basic plane as one with the u flag and as two without", () => {
    expect(compileLinear("^.$", true)!.test("😀")).toBe(true);
    expect(compileLinear("^.$", false)!.test("😀")).toBe(false);
    expect(compileLinear("^\\p{L}+$", true)!.test("añb")).toBe(true);
  });

  it("has no automaton for back references", () => {
    for (const source of ["(a)\\1", "(?<n>a)\\k<n>"]) {
      expect(compileLinear(source, true)).toBeUndefined();
    }
  });

  it("has none for one that would grow too large", () => {
    expect(compileLinear("(?:a{100}){100}", true)).toBeUndefined();
    expect(compileLinear("(?:a{10}){10}", true)).toBeDefined();
  });
});

// case 84
describe("readPattern", () => {
  it("answers on the text that makes a backtracking engine run away", () => {
    const hostile = `${"a".repeat(28)}!`;
    expect(readPattern("^(a+)+$")!.test(hostile)).toBe(false);
    expect(readPattern("^(a|a)*$")!.test(hostile)).toBe(false);
    expect(readPattern("^(a+)+$")!.test("aaa")).toBe(true);
    expect(readPattern("a*a*a*a*b")!.test("a".repeat(20_000))).toBe(false);
  });

  it.each([
    ["optional parts before as many fixed ones", `^${"a?".repeat(40)}${"a".repeat(40)}$`],
    ["an optional part, repeated", "^(a?){40}a{40}$"],
    ["short repetitions side by side", `^${"a{0,8}".repeat(20)}$`],
    ["choices that overlap", `^${"(?:a|aa)".repeat(40)}$`],
    ["a lookahead beside a repeated repetition", "(?=a)(a+)+$"],
    ["a lookbehind around a repeated repetition", "(?<=^(a+)+)b"],
    ["short repetitions in one another", "^(?:(?:[a-z]{1,8}){1,8}){1,8}$"],
  ])("answers on a hostile text: %s", (_what, source) => {
    const { test } = readPattern(source)!;
    for (const length of [60, 200, 255, 400]) expect(test(`${"a".repeat(length)}!`)).toBe(false);
  });

  it("refuses back references beside repetitions that may run away, and takes plain ones", () => {
    expect(readPattern("^(a+)+\\1$")).toBeUndefined();
    expect(readPattern("^(a|b|ab)*\\1$")).toBeUndefined();
    expect(readPattern("^(['\"]).*\\1$")!.test("'a'")).toBe(true);
    expect(readPattern("^(['\"]).*\\1$")!.test("'a\"")).toBe(false);
  });

  it("looks at less of a text the larger the pattern", () => {
    const { bounded, maxLength, test } = readPattern("[a-z]{1500}1")!;
    expect(bounded).toBe(false);
    expect(maxLength).toBeLessThan(20_000);
    expect(test(`${"a".repeat(1_500)}1`)).toBe(true);
    expect(test("a".repeat(maxLength))).toBe(false);
  });

  it("takes a length written as a pattern, although its automaton would be too large", () => {
    const { test } = readPattern("^[a-z]{1,4096}$")!;
    expect(test("a".repeat(4_096))).toBe(true);
    expect(test("a".repeat(4_097))).toBe(false);
  });

  it("tries what it cannot bound on short texts only", () => {
    const pattern = readPattern("^(?=.*\\d)(?=.*[a-z]).{8,}$")!;
    expect(pattern.bounded).toBe(false);
    expect(pattern.test("password1")).toBe(true);
    expect(pattern.test(`${"p".repeat(1_000)}1`)).toBe(false);
    expect(readPattern("^a")!.bounded).toBe(true);
  });

  it("never matches a text beyond the longest it looks at", () => {
    const { maxLength, test } = readPattern("a")!;
    expect(test("a".repeat(maxLength))).toBe(true);
    expect(test("a".repeat(maxLength + 1))).toBe(false);
  });
});

// S39: what is bounded for each text is bounded for the whole answer too
describe("withinPatternBudget", () => {
  const { test } = readPattern("(?:a|aa)+(?:b|ab)*c{2,9}$")!;
  const texts = Array.from({ length: 2_000 }, () => "a".repeat(20_000));

  it("gives up on many texts that are each within their bound", () => {
    expect(() => withinPatternBudget(() => texts.some(test))).toThrow(PatternEffortError);
    expect(withinPatternBudget(() => texts.slice(0, 2).some(test))).toBe(false);
  });

  it("gives each answer its own budget", () => {
    for (let count = 0; count < 5; count += 1) {
      expect(withinPatternBudget(() => test(`${"a".repeat(1_000)}cc`))).toBe(true);
    }
  });
});
