import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { usageOf } from "../../console/state/activity.ts";
import { fold } from "../../console/state/fold.ts";
import { foldAway } from "../../console/state/fold-away.ts";
import { emptyModel, type Model, type RunNode } from "../../console/state/model.ts";
import { highlightsOf } from "../../console/state/highlights.ts";
import { everyRow } from "../../console/state/row-filter.ts";
import { rowKey } from "../../console/state/row-key.ts";
import { readValue } from "../../console/state/told-event.ts";
import { treeRows } from "../../console/state/tree-rows.ts";
import { unfold } from "../../console/state/unfold.ts";
import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";
import { linesOf, modelOf } from "./support/random-log.ts";
import { sampleEvent } from "./support/sample-events.ts";

const kinds: readonly (readonly EventType[])[] = [
  ["assistant_message"],
  ["usage", "assistant_message", "tool_queued", "hook_decided", "tool_started", "tool_completed"],
  ["assistant_message", "tool_queued", "permission_requested", "permission_resolved", "tool_completed"],
  ["retry", "assistant_message", "tool_queued", "hook_failed", "tool_completed", "notice"],
  ["assistant_message", "tool_queued", "output_attempted", "output_rejected", "tool_completed"],
];

/** Logs of a session as a host writes them: runs behind one another, each of whole rounds. */
const wholeLog: fc.Arbitrary<readonly BasisEvent[]> = fc
  .array(fc.array(fc.nat(kinds.length - 1), { maxLength: 12 }), { maxLength: 4 })
  .map((runs) => {
    const types: { type: EventType; run: string; number: number }[] = [];
    let number = 0;
    for (const [index, rounds] of runs.entries()) {
      const run = `r${index}`;
      types.push({ type: "run_started", run, number }, { type: "user_message", run, number });
      for (const kind of rounds) {
        number += 1;
        types.push(...kinds[kind]!.map((type) => ({ type, run, number })));
      }
      types.push({ type: "run_finished", run, number });
    }
    return types.map(({ type, run, number }, index) =>
      sampleEvent(
        type,
        { session: "s", run, number },
        {
          seq: index + 1,
          ts: new Date(Date.UTC(2026, 0, 1) + index * 10).toISOString(),
        },
      ),
    );
  });

/** A run of so many rounds, each with one call. */
function roundsOf(session: string, number: number): readonly BasisEvent[] {
  const types = ["assistant_message", "tool_queued", "tool_completed"] as const;
  return Array.from({ length: number }, (_, round) =>
    types.map((type, at) =>
      sampleEvent(type, { session, run: "r", number: round + 1 }, { seq: round * types.length + at + 1 }),
    ),
  ).flat();
}

function liveModel(log: readonly BasisEvent[], room: number, keep?: string): Model {
  const model = emptyModel([]);
  for (const event of log) {
    fold(model, readValue(event));
    foldAway(model, { keep, room });
  }
  // As if another look were due.
  model.staying = 0;
  foldAway(model, { keep, room });
  return model;
}

const runsOf = (model: Model): readonly RunNode[] => [...(model.sessions.get("s")?.runs.values() ?? [])];

/** What the rows of a model say, a line each: the model itself leads in circles, of which no difference can be shown. */
function linesOfRows(model: Model): readonly string[] {
  const rows = treeRows(model, { roots: [...model.sessions.values()], closed: new Set(), filter: everyRow });
  return rows.map(({ key, depth, node }) => {
    const facts = Object.entries(node).filter(([, value]) => typeof value !== "object");
    const attempt = node.kind === "call" ? node.attempt?.number : undefined;
    return JSON.stringify([
      key,
      depth,
      Object.fromEntries(facts),
      attempt,
      node.kind === "call" && node.events,
    ]);
  });
}

// Issue 10: memory that stays; ADR 0056.
describe("rounds that are folded away", () => {
  test("leave a run's numbers as they were, and come back as they were when somebody opens them", () => {
    let folded = 0;
    fc.assert(
      fc.property(wholeLog, fc.nat(20), (log, room) => {
        const whole = modelOf(linesOf(log));
        const model = liveModel(log, room);
        expect(runsOf(model).map(usageOf)).toEqual(runsOf(whole).map(usageOf));
        for (const run of runsOf(model)) {
          if (run.folded === undefined) continue;
          folded += 1;
          const { from, to } = run.folded;
          unfold(run.folded, log.slice(from - 1, to));
          expect(run.folded).toBeUndefined();
        }
        expect(linesOfRows(model)).toEqual(linesOfRows(whole));
      }),
      { numRuns: 60 },
    );
    expect(folded).toBeGreaterThan(20);
  });

  test("are those that are over, the oldest first, and tell how many calls of them were stopped", () => {
    const number = 30;
    const log = Array.from({ length: number }, (_, round) =>
      (["assistant_message", "tool_queued", "hook_decided", "tool_completed"] as const).map((type, at) => {
        const event = sampleEvent(
          type,
          { session: "s", run: "r", number: round + 1 },
          { seq: round * 4 + at + 1 },
        );
        return type === "hook_decided"
          ? { ...event, data: { ...event.data, decision: "deny" } as never }
          : event;
      }),
    ).flat();
    // The third call waits: it stays where it can be answered.
    const waiting = log.filter(({ seq }) => seq !== 12);
    const model = liveModel(waiting, 0);
    const [run] = runsOf(model);
    const left = run!.rounds.map((round) => round.number);
    expect(left[0]).toBe(3);
    expect(left.slice(1)).toEqual(Array.from({ length: 19 }, (_, index) => number - 18 + index));
    expect(run!.folded).toMatchObject({
      rounds: number - 20,
      calls: number - 20,
      kinds: { stopped: number - 20 },
    });
    expect(model.nodes).toBe(40);
    // All of them are named to whoever opens the session, as one.
    const session = model.sessions.get("s")!;
    expect(highlightsOf(model, session)[0]).toMatchObject({ row: "folded s r", node: { calls: 10 } });
  });

  test("are not what somebody looks at, nor what that stands in; it comes back between the others", () => {
    const log = roundsOf("s", 30);
    const looked = rowKey(modelOf(linesOf(log)).sessions.get("s")!.runs.get("r")!.rounds[4]!.calls[0]!);
    const model = liveModel(log, 0, looked);
    const [run] = runsOf(model);
    expect(run!.rounds[0]!.number).toBe(5);
    expect(run!.folded!.rounds).toBe(10);
    unfold(run!.folded!, log);
    expect(run!.rounds.map((round) => round.number)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));

    const family = emptyModel([]);
    for (const event of [...log, ...roundsOf("child", 1)]) fold(family, readValue(event));
    const parent = family.sessions.get("s")!;
    const [, second] = parent.runs.get("r")!.rounds;
    second!.calls[0]!.childSession = "child";
    family.sessions.get("child")!.parent = { session: "s", run: "r", call_id: second!.calls[0]!.id };
    const [ofChild] = family.sessions.get("child")!.runs.get("r")!.rounds;
    foldAway(family, { keep: rowKey(ofChild!), room: 0 });
    expect(parent.runs.get("r")!.rounds[0]).toBe(second);
  });

  test("count the errors that were told beside their calls among what failed", () => {
    const log = roundsOf("s", 30);
    const error = sampleEvent(
      "error",
      { session: "s", run: "r", number: 99 },
      { seq: log.length + 1, ts: log[0]!.ts },
    );
    const model = liveModel([...log, error], 0);
    expect(runsOf(model)[0]!.folded!.kinds.failed).toBe(1);
  });
});
