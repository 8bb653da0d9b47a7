import { expect, test } from "vitest";
import type { Clock } from "@basis/core";
import { Cue } from "../../src/agent/run/cue.ts";
import type { RunBounds } from "../../src/agent/run/run-bounds.ts";
import { watchDeadline } from "../../src/agent/turn/run-ending.ts";

test("a run's deadline is told in whole milliseconds, whatever is left of it", () => {
  const ending = new Cue();
  const asked: number[] = [];
  const alarm: Clock["alarm"] = (ms, ring) => {
    asked.push(ms);
    ring();
    return () => undefined;
  };
  watchDeadline({ remainingMs: () => 1999.865458 } as RunBounds, { alarm } as Clock, ending);
  expect(asked).toEqual([1999.865458]);
  expect(() => ending.throwIfAborted()).toThrow("did not answer within 2000ms");
});
