import { describe, expect, test } from "vitest";
import {
  eventSchema,
  type BasisEvent,
  type EventData,
  type EventType,
} from "../../src/events/event-schema.ts";
import { eventWithoutMessages, eventWithoutTexts } from "../../src/redaction/event-text.ts";
import { formsOf } from "../../src/redaction/texts.ts";

const SECRET = "CANARY-7f3a";
const call = { call_key: "s:row-1:0", tool_call_id: "c1", tool_name: "write" };

function event<T extends EventType>(type: T, data: EventData<T>): BasisEvent {
  return { v: 1, seq: 1, ts: "2026-01-01T00:00:00.000Z", session: "s", run: "r", type, data } as BasisEvent;
}

const place = { row: 1, message_id: "row-1" };
const events: readonly BasisEvent[] = [
  event("user_message", { ...place, text: SECRET }),
  event("assistant_message", { ...place, text: `x ${SECRET}`, calls: [], finish_reason: "stop" }),
  event("tool_queued", { ...call, input: { a: [SECRET] } }),
  event("tool_started", { ...call, input: SECRET, digest: "sha256:1" }),
  event("tool_completed", { ...call, ...place, output: { [SECRET]: 1 }, is_error: false }),
  event("hook_decided", {
    ...call,
    event: "pre_tool_use",
    decision: "deny",
    reason: `no ${SECRET}`,
    participants: [
      { who: "guard", decision: "deny", ms: 7, failure: `broke at ${SECRET}` },
      { who: "other", decision: "modify", ms: 1, reason: `not ${SECRET}`, input: { b: [SECRET] } },
    ],
    not_asked: [{ who: "third", why: "ended" }],
  }),
  event("hook_failed", { ...call, who: "guard", failure: SECRET }),
  event("permission_requested", { ...call, digest: "sha256:1", level: "external", preview: { b: SECRET } }),
  event("permission_resolved", { ...call, decision: "deny", reason: SECRET }),
  event("child_previewed", { ...call, preview: SECRET, plan_digest: "sha256:2", dropped: [SECRET] }),
  event("output_rejected", { attempt: 1, verdict: "no", feedback: [SECRET], last: false }),
  event("user_message", {
    ...place,
    text: "look",
    images: [{ media_type: "image/png", digest: "of an image", name: `${SECRET}.png` }],
  }),
  event("output_rejected", {
    attempt: 1,
    verdict: "no",
    issues: [{ stage: "schema", pointer: `/${SECRET}`, message: SECRET, keyword: "type" }],
    feedback: "",
    last: false,
  }),
  event("notice", { text: SECRET }),
  event("error", { code: "internal", message: SECRET }),
];

describe("S32: an event without a text", () => {
  test.each(events.map((each) => [each.type, each] as const))("%s still fits the schema", (_type, each) => {
    const cleaned = eventWithoutTexts(each, formsOf([SECRET]))!;
    expect(JSON.stringify(cleaned)).not.toContain(SECRET);
    expect(JSON.stringify(cleaned)).not.toContain("sha256:");
    expect(eventSchema.parse(cleaned)).toEqual(cleaned);
    expect({ ...cleaned, data: 0 }).toEqual({ ...each, data: 0 });
  });

  test("that has none of it is left alone, whatever words and names it is made of", () => {
    for (const each of events) {
      expect(eventWithoutTexts(each, formsOf(["another text"]))).toBeUndefined();
    }
  });

  test.each(events.map((each) => [each.type, each] as const))(
    "%s still fits the schema, whichever of its own words the text is",
    (_type, each) => {
      const words = new Set(JSON.stringify(each).match(/\w{2,}/g));
      for (const word of words) {
        const cleaned = eventWithoutTexts(each, formsOf([word])) ?? each;
        expect({ word, ...eventSchema.safeParse(cleaned) }).toMatchObject({ success: true });
      }
    },
  );
});

describe("S32: an event without a message", () => {
  const ids = new Set(["row-1"]);
  const isTied = ({ data }: BasisEvent): boolean => "call_key" in data || "message_id" in data;
  const tied = events.filter((each) => isTied(each));

  test("that tells nothing of it or its calls is left alone", () => {
    const others = events.filter((each) => !isTied(each));
    expect(others.map(({ type }) => type)).toEqual(["output_rejected", "output_rejected", "notice", "error"]);
    for (const each of others) expect(eventWithoutMessages(each, ids)).toBeUndefined();
  });

  test.each(tied.map((each) => [each.type, each] as const))("%s", (_type, each) => {
    const cleaned = eventWithoutMessages(each, ids)!;
    expect(eventWithoutMessages(cleaned, ids)).toBeUndefined();
    expect(JSON.stringify(cleaned)).not.toContain(SECRET);
    expect(eventSchema.parse(cleaned)).toEqual(cleaned);
  });

  test("keeps what the call came to, which another message tells", () => {
    const result = event("tool_completed", {
      ...call,
      row: 2,
      message_id: "row-2",
      output: "kept",
      is_error: false,
    });
    expect(eventWithoutMessages(result, ids)).toBeUndefined();
    expect(eventWithoutMessages(result, new Set(["row-2"]))).toMatchObject({
      data: { output: "[redacted]" },
    });
  });
});
