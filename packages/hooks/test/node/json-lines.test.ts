import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineAt, lineOfPointer } from "../../src/node/json-lines.ts";
import { didYouMean, nearestName } from "../../src/node/nearest-name.ts";

describe("lineOfPointer", () => {
  it("finds the line of every member of a document", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }), (document) => {
        const text = JSON.stringify(document, null, 2);
        const lines = text.split("\n");
        for (const key of Object.keys(JSON.parse(text))) {
          const token = key.replaceAll("~", "~0").replaceAll("/", "~1");
          const line = lines[lineOfPointer(text, `/${token}`) - 1];
          expect(line?.startsWith(`  ${JSON.stringify(key)}: `)).toBe(true);
        }
      }),
    );
  });

  it("finds items of lists and what lies in them", () => {
    const text = '{\n"a": [1, {"x": "}"},\n[2,\n3]], "b":\n4}';
    const line = (pointer: string) => lineOfPointer(text, pointer);
    expect([line(""), line("/a"), line("/a/1/x"), line("/a/2"), line("/a/2/1"), line("/b")]).toEqual([
      1, 2, 2, 3, 4, 4,
    ]);
  });

  it("stays at the nearest value above what is not there", () => {
    expect(lineOfPointer('{\n"a":\n{}}', "/a/b/c")).toBe(2);
    expect(lineOfPointer('\n{"a":1}', "/z")).toBe(2);
  });
});

describe("lineAt", () => {
  it("counts the line breaks before an offset", () => {
    expect([lineAt("a\nb\nc", 0), lineAt("a\nb\nc", 1), lineAt("a\nb\nc", 2), lineAt("a\nb\nc", 5)]).toEqual([
      1, 1, 2, 3,
    ]);
  });
});

describe("nearestName", () => {
  it("guesses a name that is close and no other", () => {
    expect(nearestName("Bahs", ["Read", "Bash"])).toBe("Bash");
    expect(nearestName("on_failur", ["name", "on_failure"])).toBe("on_failure");
    expect(nearestName("description", ["name", "command", "tools"])).toBeUndefined();
    expect(didYouMean("x".repeat(100_000), ["run", "write"])).toBe("");
  });
});
