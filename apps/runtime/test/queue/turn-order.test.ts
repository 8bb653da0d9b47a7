import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTurn, servedKey } from "../../src/queue/fair-order.ts";
import type { QueuedTurn } from "../../src/queue/queued-turn.ts";
import { TurnGate } from "../../src/queue/engine/turn-gate.ts";
import { compatibleReleases } from "../../src/queue/turn-fit.ts";
import { newTurn } from "./support/probe-worker.ts";

const places = fc.array(
  fc.record({ realm: fc.constantFrom("a", "b", "c"), session: fc.constantFrom("1", "2", "3") }),
  {
    maxLength: 30,
  },
);

/** Runs everything that waits, with so much room, and answers the order. */
function runAll(
  waiting: readonly QueuedTurn[],
  room: number,
  limits: ReadonlyMap<string, number>,
): readonly QueuedTurn[] {
  const servedAt = new Map<string, number>();
  const order: QueuedTurn[] = [];
  const running: QueuedTurn[] = [];
  for (let left = [...waiting]; left.length > 0;) {
    const turn = running.length < room ? nextTurn({ waiting: left, running, limits, servedAt }) : undefined;
    if (turn === undefined) {
      if (running.shift() === undefined) throw new Error("nothing runs, and nothing may begin");
      continue;
    }
    expect(running.filter(({ sessionId }) => sessionId === turn.sessionId)).toEqual([]);
    expect(running.filter(({ realm }) => realm === turn.realm).length).toBeLessThan(
      limits.get(turn.realm) ?? Infinity,
    );
    order.push(turn);
    running.push(turn);
    left = left.filter((other) => other !== turn);
    servedAt
      .set(servedKey.realm(turn.realm), order.length)
      .set(servedKey.session(turn.sessionId), order.length);
  }
  return order;
}

describe("the order of turns", () => {
  it("runs every turn, each session's in its own order, within every limit", () => {
    fc.assert(
      fc.property(
        places,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        (given, room, limit) => {
          const waiting = given.map(({ realm, session }) => ({
            ...newTurn({ realm, sessionId: `${realm}-${session}` }),
            state: "waiting" as const,
            queuedAt: 0,
          }));
          const order = runAll(waiting, room, new Map([["a", limit]]));
          expect(order.length).toBe(waiting.length);
          for (const session of new Set(waiting.map(({ sessionId }) => sessionId)))
            expect(order.filter(({ sessionId }) => sessionId === session)).toEqual(
              waiting.filter(({ sessionId }) => sessionId === session),
            );
        },
      ),
    );
  });

  it("gives a realm its turn before another gets a second one", () => {
    const of = (realm: string, count: number): QueuedTurn[] =>
      Array.from({ length: count }, () => ({ ...newTurn({ realm }), state: "waiting", queuedAt: 0 }));
    const order = runAll([...of("busy", 9), ...of("late", 2)], 1, new Map());
    expect(order.slice(0, 4).map(({ realm }) => realm)).toEqual(["busy", "late", "busy", "late"]);
  });
});

describe("a worker's room", () => {
  it("is given to the realms in turn, and to nobody whose signal has aborted", async () => {
    const gate = new TurnGate(1);
    const { signal } = new AbortController();
    const entered: string[] = [];
    const enter = async (realm: string, by: AbortSignal = signal): Promise<void> => {
      const leave = await gate.enter(realm, by);
      entered.push(realm);
      leave();
      leave();
    };
    const first = await gate.enter("a", signal);
    const gone = new AbortController();
    const waiting = [enter("a"), enter("a"), enter("b"), enter("c", gone.signal)];
    gone.abort(new Error("gone"));
    first();
    const ends = await Promise.allSettled(waiting);
    expect(entered).toEqual(["a", "b", "a"]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  });
});

it.each([
  ["1.4.2", "1"],
  ["12.0.0", "12"],
  ["0.3.9", "0.3"],
  ["0.0.7", "0.0.7"],
])("S23: release %s runs turns of the line %s", (release, line) => {
  expect(compatibleReleases(release)).toBe(line);
});
