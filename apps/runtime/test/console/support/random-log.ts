import fc from "fast-check";
import { emptyModel, type Model } from "../../../console/state/model.ts";
import { fold } from "../../../console/state/fold.ts";
import { readLine } from "../../../console/state/told-event.ts";
import type { BasisEvent, LiveEventType } from "../../../src/events/event-schema.ts";
import { eventTypes, sampleEvent } from "./sample-events.ts";

const live: ReadonlySet<string> = new Set<LiveEventType>([
  "assistant_delta",
  "assistant_reasoning_delta",
  "tool_progress",
]);

const sessions = ["s", "s-1", "s-child1", "t"];

/** Logs of several sessions: events in any order, with numbers as a host gives them. */
export const randomLog: fc.Arbitrary<readonly BasisEvent[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom(...eventTypes),
      session: fc.constantFrom(...sessions),
      run: fc.constantFrom("r1", "r2"),
      number: fc.integer({ min: 0, max: 3 }),
      passed: fc.integer({ min: 0, max: 5000 }),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    const last = new Map<string, number>();
    let at = Date.parse("2026-01-01T00:00:00.000Z");
    return steps.map(({ type, session, run, number, passed }) => {
      at += passed;
      const event = sampleEvent(type, { session, run, number }, { ts: new Date(at).toISOString() });
      if (live.has(type)) return event;
      const seq = (last.get(session) ?? 0) + 1;
      last.set(session, seq);
      return { ...event, seq };
    });
  });

/** The lines of a log. */
export function linesOf(log: readonly BasisEvent[]): readonly string[] {
  return log.map((event) => JSON.stringify(event));
}

/** What a log tells, read from its beginning. */
export function modelOf(lines: Iterable<string>): Model {
  const model = emptyModel();
  for (const line of lines) fold(model, readLine(line));
  return model;
}

/** A model without the order in which its sessions were heard of. */
export function comparable({ sessions, tally }: Model): unknown {
  return { tally, sessions: [...sessions].toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}
