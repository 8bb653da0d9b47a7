import { describe, expect, it } from "vitest";
import { nearestWord } from "../../src/input/nearest-word.ts";

const known = ["run", "fork", "sessions", "events", "inspect", "init", "demo"];

describe("nearestWord", () => {
  it.each([
    ["sesions", "sessions"],
    ["sess", "sessions"],
    ["forks", "fork"],
    ["dmeo", "demo"],
    ["rnu", undefined],
    ["x", undefined],
    ["deploy", undefined],
    ["", undefined],
  ])("takes %j for %j", (typed, word) => {
    expect(nearestWord(typed, known)).toBe(word);
  });
});
