import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadShellParser } from "../../src/commands/bash-grammar.ts";
import { readPlainShell } from "../../src/commands/plain-shell.ts";
import { readShellText } from "../../src/commands/read-shell-text.ts";

const parse = await loadShellParser();
const single = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
const double = (word: string): string => `"${word.replace(/["\\$`]/g, String.raw`\$&`)}"`;
const escaped = (word: string): string => (word === "" ? "''" : word.replace(/[^\w]/gu, String.raw`\$&`));
const word = fc.string({
  unit: fc.constantFrom(...Array.from("ab-_ ;&|<>()$`'\"\\*?[]{}~#=!%/.,:éß")),
  maxLength: 8,
});
const program = fc.constantFrom("ls", "git", "x-y", "/bin/ls");

describe("shell text that only quotes", () => {
  it("is read back as exactly its words, by both readers", () => {
    const quoting = fc.constantFrom(single, double, escaped);
    fc.assert(
      fc.property(program, fc.array(fc.tuple(word, quoting), { maxLength: 5 }), (name, words) => {
        const source = [name, ...words.map(([text, quote]) => quote(text))].join(" ");
        const reading = readShellText(source, parse);
        const expected = [name, ...words.map(([text]) => text)];
        if (!reading.total) return; // the grammar may refuse; it never reads something else
        expect(reading.commands.map((command) => command.words.map((one) => one.text))).toEqual([expected]);
      }),
      { numRuns: 500 },
    );
  });

  it("in single quotes is always read", () => {
    fc.assert(
      fc.property(program, fc.array(word, { maxLength: 5 }), (name, words) => {
        expect(readPlainShell([name, ...words.map(single)].join(" "))).toMatchObject({
          commands: [{ words: [name, ...words].map((text) => ({ kind: "literal", text })) }],
        });
      }),
    );
  });
});

describe("any text", () => {
  const piece = fc.constantFrom(
    ..."rm ls git ; & | && || ( ) { } $ $( ` ' \" \\ < > << EOF if then fi # * ? [ ] A=1 x 2 ! ~ =".split(
      " ",
    ),
    "\n",
    "\t",
    " ",
    " ",
  );

  it("is read without throwing, and is never both total and failed", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const { total, failed, reason, commands } = readShellText(pieces.join(""), parse);
        expect(total && failed).toBe(false);
        expect(reason === undefined).toBe(total);
        expect(!total || commands.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
