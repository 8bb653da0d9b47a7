import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventStore } from "../../console/state/event-store.ts";
import { Recording } from "../../console/state/recording.ts";
import { asOf, inTimeOrder, linesInOrder } from "../../console/state/time-order.ts";
import { sampleEvent } from "./support/sample-events.ts";

describe("what a page holds of a log", () => {
  test("is never more than its limit and the newest line, and the oldest goes first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b"), { maxLength: 80 }),
        fc.integer({ min: 5, max: 60 }),
        (sessions, limit) => {
          const store = new EventStore(limit);
          const last = new Map<string, number>();
          const added: string[] = [];
          for (const [at, session] of sessions.entries()) {
            const seq = (last.get(session) ?? 0) + 1;
            last.set(session, seq);
            added.push(`${session}${seq}`.padEnd(4));
            store.add({ session, seq, at }, added.at(-1)!);
          }
          const held = linesInOrder(store);
          expect(held).toEqual(added.slice(added.length - held.length));
          expect(held.length).toBe(Math.min(added.length, Math.max(1, Math.floor(limit / 4))));
          expect(store.size + store.dropped).toBe(added.length);
        },
      ),
    );
  });

  test("keeps a session's own order where its clock went back", () => {
    const store = new EventStore();
    store.add({ session: "s", seq: 1, at: 50 }, "first");
    store.add({ session: "s", seq: 2, at: 40 }, "second");
    store.add({ session: "t", seq: 1, at: 45 }, "other");
    expect(linesInOrder(store)).toEqual(["other", "first", "second"]);
    expect(inTimeOrder(store)[2]!.at).toBe(50);
  });

  test("of a moment is read anew where a line came and another made room", () => {
    const recording = new Recording(new EventStore(1000));
    const tell = (number: number): void => {
      const event = sampleEvent("notice", { session: "s", run: "r", number }, { seq: number });
      recording.line(JSON.stringify(event).padEnd(400));
    };
    [1, 2].forEach(tell);
    const earlier = asOf(recording, 2);
    tell(3);
    expect(recording.store.size).toBe(2);
    expect([...asOf(recording, 3, earlier).model.sessions.get("s")!.seen]).toEqual([[2, 3]]);
  });

  test("takes a number that is out of all proportion", () => {
    const store = new EventStore();
    store.add({ session: "s", seq: Number.MAX_SAFE_INTEGER, at: 0 }, "{}");
    expect(store.event("s", Number.MAX_SAFE_INTEGER)).toEqual({});
    expect(store.event("s", 1)).toBeUndefined();
  });
});
