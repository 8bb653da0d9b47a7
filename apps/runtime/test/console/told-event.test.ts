import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLine, readValue } from "../../console/state/told-event.ts";
import { eventSchema } from "../../src/events/event-schema.ts";
import { eventTypes, sampleEvent } from "./support/sample-events.ts";

const marks = { session: "s", run: "r", number: 1 };

describe("what the page takes for an event", () => {
  test.each(eventTypes)("takes a %s that the host's schema takes", (type) => {
    const event = sampleEvent(type, marks, { seq: 1 });
    expect(eventSchema.parse(event)).toEqual(event);
    expect(readValue(event)).toEqual({ kind: "event", event });
  });

  test.each(eventTypes)(
    "says of a %s whose data is something else that it lacks what belongs to it",
    (type) => {
      for (const data of [null, [], "text", { surprise: true }])
        expect(readValue({ ...sampleEvent(type, marks), data })).toEqual({
          kind: "broken",
          problem: `has a ${type} that lacks what belongs to it`,
        });
    },
  );

  test("keeps the place of an event whose type it does not know", () => {
    const event = { ...sampleEvent("notice", marks, { seq: 4 }), type: "levitated", data: 3 };
    expect(readValue(event)).toEqual({ kind: "unknown", event });
  });

  test("takes a type that is called as what every object has for one that it does not know", () => {
    for (const type of ["constructor", "__proto__", "toString"])
      expect(readValue({ ...sampleEvent("notice", marks), type })).toMatchObject({ kind: "unknown" });
  });

  test("says why a line is no event", () => {
    const problems = [
      '{"v":1,"seq":',
      "",
      "[]",
      "3",
      '{"v":2}',
      '{"v":1,"session":"s","type":"x","ts":"soon"}',
    ].map((line) => readLine(line));
    expect(problems).toEqual([
      { kind: "broken", problem: "is no JSON: the log may be cut off here" },
      { kind: "broken", problem: "is no JSON: the log may be cut off here" },
      { kind: "broken", problem: "is no event" },
      { kind: "broken", problem: "is no event" },
      { kind: "broken", problem: "is no event of version 1" },
      { kind: "broken", problem: "has no usable ts" },
    ]);
  });

  test("throws for nothing", () => {
    fc.assert(
      fc.property(fc.constantFrom(...eventTypes), fc.json(), fc.jsonValue(), (type, text, data) => {
        const kinds = [readLine(text).kind, readValue({ ...sampleEvent(type, marks), data }).kind];
        expect(["event", "unknown", "broken"]).toEqual(expect.arrayContaining(kinds));
      }),
    );
  });
});
