import { describe, expect, it } from "vitest";
import { EventLines, short } from "../../src/cli/terminal/event-line.ts";
import type { BasisEvent, EventData, EventType } from "../../src/events/event-schema.ts";
import { formatLine } from "../../src/cli/terminal/render-events.ts";

const event = <T extends EventType>(type: T, data: EventData<T>): BasisEvent =>
  ({ v: 1, ts: "2026-11-30T00:00:00.000Z", session: "s", type, data }) as BasisEvent;

const call = { call_key: "s:1:0", tool_call_id: "call_1", tool_name: "search" };

const tell = (...events: readonly BasisEvent[]): readonly string[] => {
  const lines = new EventLines();
  return events.flatMap((each) => {
    const line = lines.of(each);
    return line === undefined ? [] : [formatLine(line, { stream: {}, child: false })];
  });
};

describe("EventLines", () => {
  it("tells a refused call once, with what was asked for", () => {
    const decided: EventData<"hook_decided"> = {
      ...call,
      event: "pre_tool_use",
      decision: "deny",
      reason: "no",
      participants: [],
    };
    const completed = { ...call, row: 2, message_id: "m", output: "no", is_error: true };
    expect(
      tell(
        event("tool_queued", { ...call, input: { text: "a" } }),
        event("hook_decided", decided),
        event("tool_completed", completed),
      ),
    ).toEqual(["  denied    search a: no"]);
  });

  it("tells what a guard changed between asking and running", () => {
    expect(
      tell(
        event("tool_queued", { ...call, input: { text: "a", path: "." } }),
        event("tool_started", { ...call, input: { text: "a", path: "src" }, digest: "sha256:0" }),
      ),
    ).toEqual(['  tool      search {"text":"a","path":"src"} (asked for: path .)']);
  });

  it("tells an approval with its level and digest in one line", () => {
    const asked = { ...call, digest: "sha256:0123456789abcdef", level: "process", preview: null } as const;
    expect(
      tell(
        event("permission_requested", asked),
        event("permission_resolved", { ...call, decision: "allow", by: "you" }),
      ),
    ).toEqual(["  approved  search (process) by you, bound to sha256:0123456789ab…"]);
  });

  it("tells nothing of what went as it should", () => {
    const decided: EventData<"hook_decided"> = {
      ...call,
      event: "pre_tool_use",
      decision: "allow",
      participants: [],
    };
    const completed = { ...call, row: 2, message_id: "m", output: "x", is_error: false };
    expect(tell(event("hook_decided", decided), event("tool_completed", completed))).toEqual([]);
  });

  it("sends nothing that steers a terminal", () => {
    const text = "a\u001B[2Jb\u202Ec\u0007";
    const events = [
      event("tool_started", { ...call, input: { text }, digest: "sha256:0" }),
      event("notice", { text }),
      event("child_previewed", { ...call, preview: { body: text }, plan_digest: "d", dropped: [] }),
    ];
    const shown = tell(...events).join("");
    for (const raw of ["\u0007", "\u001B", "\u202E"]) expect(shown).not.toContain(raw);
  });
});

describe("short", () => {
  it("puts any value on one line of limited length", () => {
    expect(short("a\n\tb", 10)).toBe("a b");
    expect(short({ a: 1 })).toBe('{"a":1}');
    expect(short("x".repeat(50), 10)).toBe(`${"x".repeat(10)}…`);
  });
});
