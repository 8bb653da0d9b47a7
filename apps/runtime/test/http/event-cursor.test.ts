import { expect, test } from "vitest";
import type { EventEmitter } from "../../src/events/event-emitter.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { CursorLost, sessionCursor } from "../../src/http/event-cursor.ts";

/** A session's log that holds these numbers. */
function logOf(numbers: readonly number[]): EventEmitter {
  const events = numbers.map((seq): BasisEvent => ({
    v: 1,
    seq,
    ts: "",
    session: "s",
    type: "notice",
    data: { text: `${seq}` },
  }));
  return {
    read: (_session: string, { after = 0 } = {}) => events.filter(({ seq }) => seq! > after),
    readBack: () => events.toReversed(),
  } as unknown as EventEmitter;
}

async function sentFrom(numbers: readonly number[], after: number) {
  const cursor = await sessionCursor(logOf(numbers), "s", after);
  const sent: string[] = [];
  let lost: unknown;
  try {
    for await (const { id } of cursor.advance()) sent.push(id);
  } catch (error) {
    lost = error;
  }
  return { sent, lost, at: cursor.lastId };
}

// S37
test("a session's stream sends every number once, and ends before one that is missing: where it goes on is told", async () => {
  expect(await sentFrom([1, 2, 3, 4], 1)).toEqual({ sent: ["2", "3", "4"], lost: undefined, at: "4" });
  const { sent, lost, at } = await sentFrom([1, 2, 4, 5], 0);
  expect([sent, at]).toEqual([["1", "2"], "2"]);
  expect(lost).toBeInstanceOf(CursorLost);
  expect(lost).toMatchObject({ lastId: "5" });
});
