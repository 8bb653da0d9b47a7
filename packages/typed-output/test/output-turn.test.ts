import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUNGS } from "../src/ladder.ts";
import {
  advanceTurn,
  startTurn,
  type TurnEvent,
  type TurnSetup,
  type TurnState,
} from "../src/output-turn.ts";

const rejected = { status: "rejected", reasons: [] } as const;
const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({ type: fc.constant("prose" as const), text: fc.constantFrom("", "words"), cut: fc.boolean() }),
  fc.record({ type: fc.constant("off_course" as const), text: fc.constantFrom("", "words") }),
  fc.record({
    type: fc.constant("provider_refused" as const),
    part: fc.constantFrom("tool_choice" as const, "schema" as const),
    message: fc.constant("no"),
  }),
  fc.record({
    type: fc.constant("bound" as const),
    by: fc.constantFrom("rounds" as const, "deadline" as const),
    canClose: fc.boolean(),
  }),
  fc.constant({ type: "attempt_failed", ending: rejected } as const),
);
const setup: fc.Arbitrary<TurnSetup> = fc.record({
  working: fc.boolean(),
  rungs: fc
    .shuffledSubarray([...RUNGS], { minLength: 1 })
    .map((rungs) => RUNGS.filter((rung) => rungs.includes(rung))),
  strict: fc.boolean(),
  policy: fc.record({ reminder: fc.boolean(), forced: fc.boolean() }),
  attempts: fc.integer({ min: 1, max: 5 }),
  used: fc.constant(0),
});

const play = (from: TurnState, events: readonly TurnEvent[]): TurnState => events.reduce(advanceTurn, from);

describe("advanceTurn", () => {
  it("ends every chain of failures after finitely many events", () => {
    fc.assert(
      fc.property(setup, fc.infiniteStream(event), (start, stream) => {
        let state = startTurn(start);
        const most = start.attempts + RUNGS.length + 5;
        for (const next of stream.take(most)) state = advanceTurn(state, next);
        expect(state.phase).toBe("done");
        expect(state.ending).toBeDefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it("never goes up the ladder, never uses more attempts than there are, and stays done", () => {
    fc.assert(
      fc.property(setup, fc.array(event, { maxLength: 20 }), event, (start, events, last) => {
        let state = startTurn(start);
        for (const next of events) {
          const after = advanceTurn(state, next);
          expect(RUNGS.indexOf(after.rungs[0]!)).toBeGreaterThanOrEqual(RUNGS.indexOf(state.rungs[0]!));
          expect(state.strict || !after.strict).toBe(true);
          expect(after.used).toBeLessThanOrEqual(start.attempts);
          expect(after.closing).toBeLessThanOrEqual(2);
          state = after;
        }
        expect(state.phase !== "done" || advanceTurn(state, last) === state).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("changes nothing in the state it was given", () => {
    fc.assert(
      fc.property(setup, fc.array(event, { maxLength: 8 }), (start, events) => {
        const state = startTurn(start);
        const before = JSON.stringify(state);
        play(state, events);
        expect(JSON.stringify(state)).toBe(before);
      }),
    );
  });

  it("skips every rung that carries a refused schema in the same place", () => {
    const start = startTurn({
      working: false,
      rungs: RUNGS,
      strict: false,
      policy: { reminder: true, forced: true },
      attempts: 3,
      used: 0,
    });
    const refused = { type: "provider_refused", part: "schema", message: "no" } as const;
    expect(play(start, [refused]).rungs[0]).toBe("native");
    expect(play(start, [refused, refused]).rungs[0]).toBe("auto");
    expect(play(start, [refused, refused, refused]).rungs[0]).toBe("prompted");
    expect(play(start, [refused, refused, refused, refused]).ending).toMatchObject({
      status: "unsupported",
      at: "schema",
    });
  });
});
