import { isSessionError } from "@mobkit/session";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endAfter, type TranscriptEnd } from "../src/append-rules.ts";
import type { MessageFacts } from "../src/transcript-shape.ts";

const start: TranscriptEnd = { len: 0, settledLen: 0, openCalls: [] };
const plain: MessageFacts = { kind: "user", opens: [], closes: [] };
const opens = (...keys: string[]): MessageFacts => ({ kind: "assistant", opens: keys, closes: [] });
const closes = (...keys: string[]): MessageFacts => ({ kind: "tool", opens: [], closes: keys });

function endOf(...facts: MessageFacts[]): TranscriptEnd {
  return facts.reduce((end, each, index) => endAfter(end, each, index), start);
}

function refusal(...facts: MessageFacts[]): unknown {
  try {
    return endOf(...facts);
  } catch (error) {
    return isSessionError(error) ? [error.code, error.details] : error;
  }
}

/** The end after the message, or the end as it was when the message is refused. */
function stepOrStay(end: TranscriptEnd, facts: MessageFacts, index: number): TranscriptEnd {
  try {
    return endAfter(end, facts, index);
  } catch (error) {
    if (isSessionError(error)) return end;
    throw error;
  }
}

describe("the end of a transcript", () => {
  test("moves on with a message that opens nothing", () => {
    expect(endOf(plain, plain)).toEqual({ len: 2, settledLen: 2, openCalls: [] });
  });

  test("stays settled before an assistant's calls until all are answered", () => {
    expect(endOf(plain, opens("a", "b"))).toEqual({ len: 2, settledLen: 1, openCalls: ["a", "b"] });
    expect(endOf(plain, opens("a", "b"), closes("b"))).toEqual({ len: 3, settledLen: 1, openCalls: ["a"] });
    expect(endOf(plain, opens("a", "b"), closes("b"), closes("a"))).toEqual({
      len: 4,
      settledLen: 4,
      openCalls: [],
    });
  });

  test("accepts several results in one message", () => {
    expect(endOf(opens("a", "b"), closes("a", "b")).settledLen).toBe(2);
  });

  // F111
  test("refuses whatever isn't a result while a call is open", () => {
    expect(refusal(opens("a"), plain)).toEqual(["open_calls", { index: 1, open: ["a"] }]);
    expect(refusal(opens("a"), opens("b"))).toEqual(["open_calls", { index: 1, open: ["a"] }]);
    expect(refusal(opens("a", "b"), closes("a"), plain)).toEqual(["open_calls", { index: 2, open: ["b"] }]);
  });

  test("lets a message that answers the last open call open others, but not before", () => {
    const deferred = { kind: "assistant", opens: ["c"], closes: ["a"] } as const;
    expect(endOf(opens("a"), deferred).openCalls).toEqual(["c"]);
    expect(refusal(opens("a", "b"), deferred)).toEqual(["open_calls", { index: 1, open: ["b"] }]);
  });

  test("refuses a result that nothing waits for, never asked or answered already", () => {
    expect(refusal(closes("a"))).toEqual(["unmatched_result", { index: 0, call: "a" }]);
    expect(refusal(opens("a", "b"), closes("a"), closes("a"))).toEqual([
      "unmatched_result",
      { index: 2, call: "a" },
    ]);
  });

  test("refuses a message that names a call twice", () => {
    expect(refusal(opens("a", "a"))).toEqual(["duplicate_call", { index: 0, call: "a" }]);
    expect(refusal(opens("a"), closes("a", "a"))).toEqual(["duplicate_call", { index: 1, call: "a" }]);
  });

  test("lets what works for an open call of the provider's follow it, and open others meanwhile", () => {
    const inProgram = (...keys: string[]): MessageFacts => ({ ...opens(...keys), within: ["p"] });
    const started = [opens("p", "a"), closes("a")];
    expect(endOf(...started).openCalls).toEqual(["p"]);
    expect(endOf(...started, inProgram("b")).openCalls).toEqual(["p", "b"]);
    expect(endOf(...started, inProgram("b"), closes("b"), closes("p")).settledLen).toBe(5);
    expect(refusal(...started, opens("b"))).toEqual(["open_calls", { index: 2, open: ["p"] }]);
    expect(refusal(opens("p", "a"), inProgram("b"))).toEqual(["open_calls", { index: 1, open: ["p", "a"] }]);
    expect(refusal(...started, inProgram("p"))).toEqual(["duplicate_call", { index: 2, call: "p" }]);
  });

  // S17: providers use ids again in later turns.
  test("accepts a call id again once it was answered", () => {
    expect(endOf(opens("a"), closes("a"), opens("a")).openCalls).toEqual(["a"]);
  });

  test("is settled exactly where nothing is open, whatever came before", () => {
    const key = fc.constantFrom("a", "b", "c");
    const facts = fc.record({
      kind: fc.constantFrom("user" as const, "assistant" as const, "tool" as const),
      opens: fc.array(key, { maxLength: 2 }),
      closes: fc.array(key, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 20 }), (messages) => {
        let end = start;
        for (const [index, message] of messages.entries()) {
          const before = end;
          end = stepOrStay(before, message, index);
          const moved = end !== before;
          expect(end.len).toBe(before.len + (moved ? 1 : 0));
          expect(end.settledLen === end.len).toBe(end.openCalls.length === 0);
          expect(new Set(end.openCalls).size).toBe(end.openCalls.length);
          expect(!moved || before.openCalls.length === 0 || message.closes.length > 0).toBe(true);
        }
      }),
    );
  });
});
