import type { JsonObject } from "@basis/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fillTemplate, readWord, type TemplateWord } from "../../src/declared/argv-template.ts";

function template(...words: readonly string[]): readonly TemplateWord[] {
  return words.map((text) => {
    const reading = readWord(text);
    if (!reading.ok) throw new Error(reading.problem);
    return reading.word;
  });
}

test.each<[string, readonly string[], JsonObject, readonly string[]]>([
  ["a value as a word", ["x", "{a}"], { a: "b c" }, ["x", "b c"]],
  ["a value inside a word", ["x", "--a={a}.txt"], { a: "$(b)" }, ["x", "--a=$(b).txt"]],
  ["numbers and truths", ["{a}", "{b}"], { a: 1.5, b: true }, ["1.5", "true"]],
  ["a list", ["x", "{a...}", "y"], { a: ["1", "2"] }, ["x", "1", "2", "y"]],
  ["an absent value", ["x", "--a={a}", "{b}", "{c...}"], {}, ["x"]],
  ["an empty value", ["x", "{a}"], { a: "" }, ["x", ""]],
  ["braces", ["{{a}}"], {}, ["{a}"]],
  ["a value that looks like a place", ["{a}"], { a: "{b}" }, ["{b}"]],
  ["an option after --", ["x", "--", "{a}"], { a: "-rf" }, ["x", "--", "-rf"]],
])("%s fills its place", (_what, words, input, argv) => {
  expect(fillTemplate(template(...words), input)).toEqual(argv);
});

test.each<[string, readonly string[], JsonObject]>([
  ["a value", ["x", "{a}"], { a: "--exec=evil" }],
  ["an item", ["x", "{a...}"], { a: ["ok", "-o"] }],
  ["a value before --", ["x", "{a}", "--"], { a: "-" }],
  ["a negative number", ["x", "{a}"], { a: -1 }],
])("%s that would be read as an option is refused", (_what, words, input) => {
  expect(() => fillTemplate(template(...words), input)).toThrow("would be read as an option");
});

test("a NUL character is refused", () => {
  expect(() => fillTemplate(template("x{a}"), { a: "\0" })).toThrow("NUL");
});

test("a value never leaves its word, whatever it holds", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
      (value) => {
        expect(fillTemplate(template("x", "--a={a}", "y"), { a: value })).toEqual(["x", `--a=${value}`, "y"]);
      },
    ),
  );
});

test("a text without braces is the word itself, and every other is read or refused", () => {
  const texts = fc.string().filter((text) => text !== "");
  fc.assert(
    fc.property(texts, fc.constantFrom("", "{", "}", "{{", "{a}", "{a...}"), (text, brace) => {
      const plain = text.replaceAll(/[{}]/g, "x");
      expect(fillTemplate(template(plain), {})).toEqual([plain]);
      expect(readWord(text + brace)).toHaveProperty("ok");
    }),
  );
});
