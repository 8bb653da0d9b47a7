import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  columns,
  definitions,
  duration,
  insetSaid,
  jsonText,
  paintFor,
  shortDigest,
  wrap,
  WIDTH,
} from "../../src/cli/layout.ts";
import { commandLine, shellWord } from "../../src/cli/settings-words.ts";

describe("wrap", () => {
  it("keeps every word, in order, within the width unless a word is longer", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 20 }), (list, column) => {
        const lines = wrap(list.join(" "), column).split("\n");
        expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(list);
        expect(column + lines[0]!.length).toBeLessThanOrEqual(Math.max(WIDTH, column + 30));
        for (const line of lines.slice(1)) expect(line.length).toBeLessThanOrEqual(WIDTH);
      }),
    );
  });
});

describe("insetSaid", () => {
  it("keeps the lines of a traceback, each set in, and nothing that steers a terminal", () => {
    const said = "exited with code 1 and said: Traceback:\n  File 'x'\r\n\nKeyError\u001b[2J\n";
    expect(insetSaid(said, 4)).toBe(
      "    exited with code 1 and said: Traceback:\n    File 'x'\n\n    KeyError\\u{1b}[2J",
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(insetSaid(text, 4)).toMatch(/^(?: {4}[^\p{Cc}\p{Cf}]*|)(?:\n(?: {4}[^\p{Cc}\p{Cf}]*|))*$/u);
      }),
    );
  });
});

describe("jsonText", () => {
  it("means what was given and holds no character that steers a terminal", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const shown = jsonText({ value, text });
        expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify({ value, text })));
        expect(shown).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
    expect(jsonText("a\u202E\u{E0041}")).toBe('"a\\u202e\\udb40\\udc41"\n');
  });
});

describe("paintFor", () => {
  it("colours for a terminal that takes it, and for nothing else", () => {
    const red = "\u001b[31mx\u001b[39m";
    expect(paintFor({ isTTY: true }, { TERM: "xterm" }).bad("x")).toBe(red);
    expect(paintFor({ isTTY: true }, { TERM: "xterm", NO_COLOR: "" }).bad("x")).toBe(red);
    expect(paintFor({ isTTY: true }, { NO_COLOR: "1" }).bad("x")).toBe("x");
    expect(paintFor({ isTTY: true }, { TERM: "dumb" }).bad("x")).toBe("x");
    expect(paintFor({}, {}).bad("x")).toBe("x");
  });
});

describe("the small forms", () => {
  it("sets columns, with numbers to the right", () => {
    expect(
      columns(
        [
          ["a", "10"],
          ["bbb", "9"],
        ],
        new Set([1]),
      ),
    ).toBe("  a    10\n  bbb   9");
    expect(
      definitions([
        ["a", "one"],
        ["bb", "two"],
      ]),
    ).toBe("  a   one\n  bb  two");
  });

  it("writes times and digests at a glance", () => {
    expect([0.04, 9.96, 10, 999.4, 1500].map(duration)).toEqual([
      "0.0 ms",
      "10.0 ms",
      "10 ms",
      "999 ms",
      "1.5 s",
    ]);
    expect(shortDigest(`sha256:${"ab".repeat(32)}`)).toBe("sha256:abababababab…");
  });

  it("quotes a word so that a shell reads it as it was", () => {
    expect(commandLine(["./guard.sh", "--all", "it's $HOME", ""])).toBe(
      "./guard.sh --all 'it'\\''s $HOME' ''",
    );
    expect(shellWord("/a b")).toBe("'/a b'");
  });
});
