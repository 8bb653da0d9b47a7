import { manualClock, type ManualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import type { ModelError } from "../../src/providers/model-error.ts";
import { AttemptWatch, defaultWatchdogs } from "../../src/providers/watchdogs.ts";

function watchOn(observesConnection = true): {
  clock: ManualClock;
  watch: AttemptWatch;
  errors: ModelError<"timeout">[];
} {
  const clock = manualClock();
  const errors: ModelError<"timeout">[] = [];
  const onTimeout = (error: ModelError<"timeout">): void => void errors.push(error);
  const watch = new AttemptWatch({ clock, limits: defaultWatchdogs, onTimeout }, observesConnection);
  return { clock, watch, errors };
}

describe("a watched attempt", () => {
  test("times out without a connection after 15 s", () => {
    const { clock, errors } = watchOn();
    clock.advance(14_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors.map((error) => error.details)).toEqual([{ watchdog: "connect", timeoutMs: 15_000 }]);
  });

  test("has 90 s for the first event, from the connection on", () => {
    const { clock, watch, errors } = watchOn();
    clock.advance(10_000);
    watch.connected();
    clock.advance(89_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors.map((error) => error.details.watchdog)).toEqual(["first_event"]);
  });

  test("has 120 s between two events, however many there are", () => {
    const { clock, watch, errors } = watchOn();
    watch.connected();
    for (let count = 0; count < 100; count += 1) {
      watch.event();
      clock.advance(119_999);
    }
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors.map((error) => error.details.watchdog)).toEqual(["idle"]);
  });

  test("skips the connection's limit when nobody can see the connection", () => {
    const { clock, errors } = watchOn(false);
    clock.advance(89_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors.map((error) => error.details.watchdog)).toEqual(["first_event"]);
  });

  test("does not blame the provider while its reader is busy", () => {
    const { clock, watch, errors } = watchOn();
    watch.event();
    watch.pause();
    clock.advance(1_000_000);
    expect(errors).toEqual([]);
    watch.resume();
    clock.advance(119_999);
    expect(errors).toEqual([]);
    clock.advance(1);
    expect(errors).toHaveLength(1);
  });

  test("is silent after it has been stopped", () => {
    const { clock, watch, errors } = watchOn();
    watch.event();
    watch.stop();
    clock.advance(1_000_000);
    expect(errors).toEqual([]);
  });
});
