import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffJson, isSame } from "../../console/state/json-diff.ts";
import { fold } from "../../console/state/fold.ts";
import { emptyModel } from "../../console/state/model.ts";
import { resultOf, saidIn } from "../../console/state/short-text.ts";
import { readValue } from "../../console/state/told-event.ts";
import { sampleEvent } from "./support/sample-events.ts";
import { readRoute, takeToken, writeRoute } from "../../console/state/route.ts";
import { clockTime, counted, duration, modelName, tokens } from "../../console/state/units.ts";
import { visibleText } from "../../console/state/visible-text.ts";

describe("the difference of two values", () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  /** A comma behind the last member that is left is no JSON. */
  const parsed = (text: string): unknown => JSON.parse(text.replaceAll(/,\n(?=\s*[\]}])/g, "\n"));

  test("has the second one whole in its lines, and the first one too", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (before, after) => {
        const lines = diffJson(before, after);
        const side = (name: "before" | "after"): string =>
          lines
            .filter(({ side: of }) => of === "both" || of === name)
            .map(({ text }) => text)
            .join("\n");
        expect(isSame(parsed(side("before")), before)).toBe(true);
        expect(isSame(parsed(side("after")), after)).toBe(true);
        expect(lines.every(({ side: of }) => of === "both")).toBe(isSame(before, after));
      }),
    );
  });

  test("marks the member that is another one and leaves the rest", () => {
    expect(diffJson({ path: ".", text: "a" }, { text: "a", path: "packages" })).toEqual([
      { side: "both", text: "{" },
      { side: "before", text: '  "path": ".",' },
      { side: "after", text: '  "path": "packages",' },
      { side: "both", text: '  "text": "a"' },
      { side: "both", text: "}" },
    ]);
  });
});

// S12
describe("text from outside", () => {
  test("shows what would not be seen or would move what is as its code point", () => {
    expect(visibleText("a\u202Eb\u0007\u200B\u2028\u00AD\u{E0041}\uD800c\r")).toBe(
      String.raw`a\u{202e}b\u{7}\u{200b}\u{2028}\u{ad}\u{e0041}\u{d800}c\u{d}`,
    );
    expect(visibleText("line\n\ttab ä 日本 👍")).toBe("line\n\ttab ä 日本 👍");
  });
});

describe("the address of what is shown", () => {
  test("comes back as it was written, and the token is in none of it", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        fc.string(),
        (session, row, token) => {
          const route = { session, row };
          const fragment = `${writeRoute(route)}&token=${encodeURIComponent(token)}`;
          const taken = takeToken(fragment);
          expect(taken.token).toBe(token);
          expect(new URLSearchParams(taken.rest.slice(1)).has("token")).toBe(false);
          expect(readRoute(taken.rest)).toEqual({ session: session, row: row });
        },
      ),
    );
  });

  test("leaves out what no page understands", () => {
    expect(readRoute("#session=&tab=Hooks&other=1&row=" + "x".repeat(600))).toEqual({ tab: "Hooks" });
  });
});

test("times and amounts have units that a person says", () => {
  expect([0, 15, 1500, 12_400, 61_000, 3_660_000].map(duration)).toEqual([
    "0 ms",
    "15 ms",
    "1.5 s",
    "12 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect([0, 999, 1200, 45_600, 2_000_000].map(tokens)).toEqual(["0", "999", "1.2k", "46k", "2M"]);
  expect(counted(1, "run")).toBe("1 run");
  expect(counted(12_000, "event")).toBe("12,000 events");
  expect(clockTime(0)).toMatch(/^\d\d:\d\d:00\.000$/);
  expect(modelName({ provider: "scripted", id: "/a/b/script.json" })).toBe("scripted: script.json");
});

describe("a message with images", () => {
  const images = [
    { media_type: "image/png", digest: "sha256:1", name: "screen.png" },
    { media_type: "image/jpeg", digest: "" },
  ];

  test("has a word for each of them, where it is read and in the rows of the tree", () => {
    expect(saidIn({ text: "look", images })).toBe("look\n[screen.png]\n[image/jpeg]");
    expect(saidIn({ text: "look" })).toBe("look");
    expect(resultOf({ output: { width: 2 }, images })).toBe('{\n  "width": 2\n}\n[screen.png]\n[image/jpeg]');
    expect(resultOf({ output: { width: 2 } })).toEqual({ width: 2 });
    const told = sampleEvent("user_message", { session: "s", run: "r", number: 0 }, { seq: 1 });
    const model = emptyModel();
    fold(model, readValue({ ...told, data: { ...told.data, text: "", images } }));
    expect(model.sessions.get("s")!.runs.get("r")!.task).toBe("[screen.png] [image/jpeg]");
  });
});
