import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const tests = fileURLToPath(new URL("..", import.meta.url));
const range = (letter: string, first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`);

/** The contract's lines that are about this package; the host's tests hold H75 to H91, and H56 is retired. */
const LINES: readonly string[] = [
  ...range("H", 1, 55),
  ...range("H", 57, 74),
  "H92",
  ...range("W", 1, 5),
  "S1",
  "S2",
  "S3",
  "S8",
  "S9",
  "S19",
  "S20",
  "S21",
  "S39",
  "S40",
];

/** The numbers that stand in a test's title, or in the comment below it. */
function numbersIn(path: string): readonly string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /^\s*(\/\/|it|describe)/.test(line))
    .flatMap((line) => [...line.matchAll(/\b([HSW]\d+)(?:-[HSW]?(\d+))?\b/g)])
    .flatMap(([, first = "", last]) =>
      range(first.charAt(0), Number(first.slice(1)), Number(last ?? first.slice(1))),
    );
}

describe("the contract", () => {
  it("has a test for each of its lines", () => {
    const files = readdirSync(tests, { recursive: true, encoding: "utf8" });
    const own = fileURLToPath(import.meta.url);
    const covered = files
      .map((file) => join(tests, file))
      .filter((path) => path.endsWith(".test.ts") && path !== own)
      .flatMap(numbersIn);
    expect(LINES.filter((line) => !covered.includes(line))).toEqual([]);
  });
});
