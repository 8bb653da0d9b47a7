import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

function testFiles(directory: string): string[] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .flatMap((path) => (statSync(path).isDirectory() ? testFiles(path) : [path]))
    .filter((path) => /\.(test|test-d)\.ts$/.test(path));
}

/** The numbers of the cases that a text says it covers: `case 9`, `cases 5, 20 and 28`, `cases 11 to 16`. */
function casesIn(text: string): number[] {
  const mentions = text.match(/\bcases? \d+(?:(?:, | and | to )\d+)*/g) ?? [];
  return mentions.flatMap((mention) => {
    const ranges = [...mention.matchAll(/(\d+) to (\d+)/g)].flatMap(([, from, to]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
    );
    return [...ranges, ...[...mention.matchAll(/\d+/g)].map(([digits]) => Number(digits))];
  });
}

it("every one of the hundred cases has its test, by number", () => {
  const covered = new Set(
    testFiles(import.meta.dirname).flatMap((path) => casesIn(readFileSync(path, "utf8"))),
  );
  const missing = Array.from({ length: 100 }, (_, index) => index + 1).filter(
    (number) => !covered.has(number),
  );
  expect(missing).toEqual([]);
});
