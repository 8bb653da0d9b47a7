import { describe, expect, test } from "vitest";
import { callDetail, inputSteps } from "../../console/state/call-detail.ts";
import { Recording } from "../../console/state/recording.ts";
import type { BasisEvent, EventData } from "../../src/events/event-schema.ts";
import { sampleData, sampleEvent } from "./support/sample-events.ts";

const marks = { session: "s", run: "r", number: 1 };
const data = sampleData(marks);
type Decided = EventData<"hook_decided">;

function judged(...participants: Decided["participants"]): BasisEvent {
  return sampleEvent("hook_decided", marks, {
    data: { ...data.hook_decided, decision: participants.length > 0 ? "modify" : "allow", participants },
  });
}

const changed = (who: string, input?: string) => ({
  who,
  decision: "modify",
  ms: 1,
  ...(input !== undefined && { input }),
});

const edited = sampleEvent("permission_resolved", marks, {
  data: { ...data.permission_resolved, decision: "edited", by: "ada" },
});

function steps(...between: readonly BasisEvent[]): readonly (readonly [string, unknown])[] {
  const recording = new Recording();
  const told = [sampleEvent("tool_queued", marks), ...between, sampleEvent("tool_started", marks)];
  for (const [index, event] of told.entries()) recording.value({ ...event, seq: index + 1 });
  const [call] = recording.model.sessions.get("s")!.calls.values();
  return inputSteps(callDetail(recording.store, call!)).map(({ title, input }) => [title, input]);
}

const asked = ["asked by the model", { argv: ["ls"] }] as const;
const ran = { argv: ["ls", "-l"] };

describe("the forms of a call's input", () => {
  test("are the one asked for, each change with its author, and the one that ran", () => {
    expect(steps()).toEqual([asked, ["executed", ran]]);
    expect(steps(judged(changed("a", "1"), changed("b", "2")))).toEqual([
      asked,
      ["changed by a", "1"],
      ["changed by b", "2"],
      ["executed", ran],
    ]);
  });

  test("name who changed it where a log tells no more", () => {
    expect(steps(judged(changed("a"), changed("b")))).toEqual([
      asked,
      ["executed, as changed by a and b", ran],
    ]);
  });

  test("are those of the last judgement, once a call that waited goes on", () => {
    const change = judged(changed("a", "1"));
    expect(steps(change, sampleEvent("permission_resolved", marks), change)).toEqual([
      asked,
      ["changed by a", "1"],
      ["executed", ran],
    ]);
  });

  test("keep what was before an approver's edit, and what hooks made of that", () => {
    expect(steps(judged(changed("a", "1")), edited, judged(changed("b", "2")))).toEqual([
      asked,
      ["changed by a", "1"],
      ["changed by b", "2"],
      ["executed, as changed by ada", ran],
    ]);
  });
});
