import { describe, expect, test } from "vitest";
import { EventStore } from "../../console/state/event-store.ts";
import { lineagePoints, lineageRoots, rootOf } from "../../console/state/lineage.ts";
import { Recording } from "../../console/state/recording.ts";
import { forkPoints, messagesOf } from "../../console/state/transcript.ts";
import { waitingCalls } from "../../console/state/waiting-calls.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { sampleData, sampleEvent } from "./support/sample-events.ts";

const at = (session: string, number: number) => ({ session, run: `run of ${session}`, number });

function recorded(events: readonly BasisEvent[], store = new EventStore()): Recording {
  const last = new Map<string, number>();
  const recording = new Recording(store);
  for (const event of events) {
    const seq = (last.get(event.session) ?? 0) + 1;
    last.set(event.session, seq);
    recording.value({ ...event, seq });
  }
  return recording;
}

/** A question, an answer with one call, its result; then a fork behind all three, which goes on. */
const story = [
  sampleEvent("user_message", at("s", 0)),
  sampleEvent("assistant_message", at("s", 1)),
  sampleEvent("tool_queued", at("s", 1)),
  sampleEvent("tool_completed", at("s", 1)),
  sampleEvent("fork_committed", at("s", 3)),
  sampleEvent("fork_provisioned", at("s", 3)),
  sampleEvent("user_message", at("s-3", 3)),
];

describe("the transcript of a session", () => {
  test("has the messages that its fork took along, and where they come from", () => {
    const { model } = recorded([...story, sampleEvent("user_message", at("s", 3))]);
    expect(
      messagesOf(model.sessions.get("s-3")!).map(({ row, session, inherited }) => [
        row,
        session.id,
        inherited,
      ]),
    ).toEqual([
      [0, "s", true],
      [1, "s", true],
      [2, "s", true],
      [3, "s-3", false],
    ]);
  });

  test("can be forked but between a call and its result, and says which call that is", () => {
    const { model, store } = recorded(story);
    expect(forkPoints(store, messagesOf(model.sessions.get("s-3")!))).toEqual([
      { count: 1, problem: undefined },
      { count: 2, problem: "the call of run has no result yet: a fork here would split them" },
      { count: 3, problem: undefined },
      { count: 4, problem: undefined },
    ]);
  });

  test("says of messages that had to make room that they are not held", () => {
    const { model, store } = recorded(story, new EventStore(300));
    expect(store.dropped).toBeGreaterThan(0);
    const [first] = forkPoints(store, messagesOf(model.sessions.get("s")!));
    expect(first!.problem).toBe("this message is not here: its host is asked for it");
  });
});

describe("the graph of forks", () => {
  test("has each fork below its source, with the message that it begins behind", () => {
    const { model } = recorded(story);
    const [root] = lineageRoots(model);
    expect(root!.id).toBe("s");
    const points = lineagePoints(model, root!);
    expect(points.map(({ session, column, line, from }) => [session.id, column, line, from])).toEqual([
      ["s", 0, 0, undefined],
      ["s-3", 1, 1, { line: 0, column: 0, count: 3, state: "seated" }],
    ]);
    expect(rootOf(model, model.sessions.get("s-3")!).id).toBe("s");
  });

  test("tells of a fork that nobody sits in, until it is recovered", () => {
    const failed = sampleEvent("fork_failed", at("s", 3));
    const unseated = recorded([sampleEvent("fork_committed", at("s", 3)), failed]);
    const [fork] = unseated.model.sessions.get("s")!.forks.values();
    expect(fork).toMatchObject({ state: "unseated", message: "away", operation: "o3" });
    const recovered = sampleEvent("fork_recovered", at("s", 3), { seq: 3 });
    unseated.value(recovered);
    expect(fork).toMatchObject({ state: "seated", recovered: true });
  });

  test("ends, though a made-up log has sessions that were forked from each other", () => {
    const back = { ...sampleData(at("s-3", 3)).fork_committed, fork_session: "s", operation_id: "o9" };
    const { model } = recorded([...story, sampleEvent("fork_committed", at("s-3", 3), { data: back })]);
    for (const session of model.sessions.values()) {
      expect(messagesOf(session).length).toBeLessThan(5);
      expect(lineagePoints(model, rootOf(model, session)).length).toBeLessThan(3);
    }
  });
});

test("a call waits for a person from its parking until it runs or is refused", () => {
  const asked = [
    ...story.slice(0, 3),
    sampleEvent("permission_requested", at("s", 1)),
    sampleEvent("permission_resolved", at("s", 1)),
  ];
  const waiting = recorded(asked);
  expect(waitingCalls(waiting.model)).toMatchObject([
    { approvalId: "a1", tool: "run", row: "call s s:m1:0" },
  ]);
  expect(waitingCalls(recorded([...asked, sampleEvent("tool_started", at("s", 1))]).model)).toEqual([]);
  expect(waitingCalls(recorded([...asked, sampleEvent("tool_completed", at("s", 1))]).model)).toEqual([]);
});
