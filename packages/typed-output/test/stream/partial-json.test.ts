import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PartialJson } from "../../src/stream/partial-json.ts";

/** True when the later value only adds to the earlier one. */
function grows(before: JsonValue | undefined, after: JsonValue | undefined): boolean {
  if (before === undefined || Object.is(before, after)) return true;
  if (typeof before === "string") return typeof after === "string" && after.startsWith(before);
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null)
    return before === after;
  if (Array.isArray(before) !== Array.isArray(after)) return false;
  return Object.entries(before).every(
    ([key, value]) => Object.hasOwn(after, key) && grows(value, (after as Record<string, JsonValue>)[key]),
  );
}

const document = fc
  .jsonValue({ maxDepth: 5 })
  .filter((value) => !JSON.stringify(value).includes("__proto__")) as fc.Arbitrary<JsonValue>;

// P1, case 85
describe("PartialJson", () => {
  it("only grows, whatever the pieces, and ends as the document", () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 1, max: 7 }), fc.boolean(), (value, size, spaced) => {
        const text = JSON.stringify(value, undefined, spaced ? 2 : undefined);
        const parser = new PartialJson();
        let before: JsonValue | undefined;
        for (let at = 0; at < text.length; at += size) {
          parser.feed(text.slice(at, at + size));
          const now = parser.snapshot();
          expect(grows(before, now)).toBe(true);
          before = now;
        }
        parser.feed(" ");
        expect(parser.failed).toBe(false);
        expect(parser.complete).toBe(true);
        expect(parser.snapshot()).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it("shows texts while they are written, but no half of an escape or of a character, and no unfinished number", () => {
    const parser = new PartialJson();
    const shown = ['{"a":"x', "\\", "u00", "e9\\ud83d", "\\ude00", 'y","n":1', "2", ',"t":tr', "ue}"].map(
      (piece) => {
        parser.feed(piece);
        return parser.snapshot();
      },
    );
    expect(shown).toEqual([
      { a: "x" },
      { a: "x" },
      { a: "x" },
      { a: "xé" },
      { a: "xé😀" },
      { a: "xé😀y" },
      { a: "xé😀y" },
      { a: "xé😀y", n: 12 },
      { a: "xé😀y", n: 12, t: true },
    ]);
  });

  it("shares what is closed between snapshots, and freezes them", () => {
    const parser = new PartialJson();
    parser.feed('{"a":[1,2],"b":[3');
    const first = parser.snapshot() as { a: JsonValue };
    parser.feed(",4]}");
    const second = parser.snapshot() as { a: JsonValue };
    expect(second.a).toBe(first.a);
    expect(Object.isFrozen(first) && Object.isFrozen(second)).toBe(true);
  });

  it.each([
    "[1,]",
    "{,",
    '{"a":1,"a":2}',
    '{"__proto__":1}',
    "tru}",
    "[01]",
    '["\n"]',
    '["\\x"]',
    "[1}",
    "]",
    '{"a" 1}',
    "[1] [2]",
    "[".repeat(65),
    "```json",
  ])("gives up on %j", (text) => {
    const parser = new PartialJson();
    parser.feed(`${text} `);
    expect(parser.failed).toBe(true);
  });

  it("never throws, whatever it is given, and gives up on what is no JSON", () => {
    const text = fc.string({
      unit: fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "0",
        "u",
        "1",
        "e",
        "-",
        ".",
        "t",
        " ",
        "😀",
      ),
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 4 }), (given, size) => {
        const parser = new PartialJson();
        for (let at = 0; at < given.length; at += size) {
          parser.feed(given.slice(at, at + size));
          parser.snapshot();
        }
        parser.feed(" ");
        const isWhole = parser.complete && !parser.failed;
        expect(isWhole ? parser.snapshot() : undefined).toEqual(isWhole ? JSON.parse(given) : undefined);
      }),
      { numRuns: 20_000 },
    );
  });
});
