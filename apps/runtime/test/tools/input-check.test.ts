import { describe, expect, it } from "vitest";
import { inputCheck } from "../../src/tools/input-check.ts";
import { readTool } from "../../src/tools/file-tools.ts";

describe("the check of a tool's input", () => {
  it.each([
    [{ path: "a" }, undefined],
    [{}, 'the input: missing property "path"'],
    [
      '{"path":"a","path":"b"}',
      'the arguments must be one JSON object: the key "path" stands twice at the root',
    ],
    ['{"path":"a"', "the arguments must be one JSON object: the JSON document is not finished"],
    ["[1]", "the arguments must be one JSON object"],
  ])("of %j says %s", async (input, said) => {
    expect((await inputCheck(readTool("/")))(input)).toBe(said);
  });
});
