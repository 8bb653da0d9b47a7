import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  DeadlineError,
  joinSignals,
  underDeadline,
  untilAborted,
  withDeadline,
  type Clock,
} from "../src/index.ts";
import { manualClock } from "../src/testing/index.ts";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("joinSignals", () => {
  it("aborts with the first reason and leaves no listener on a long-lived signal", () => {
    const long = new AbortController();
    const short = new AbortController();
    const joined = joinSignals(long.signal, undefined, short.signal);
    short.abort("first");
    expect(joined.signal.reason).toBe("first");
    expect(listeners(long.signal)).toBe(0);
    const released = joinSignals(long.signal);
    released.release();
    expect(listeners(long.signal)).toBe(0);
    expect(joinSignals(long.signal, AbortSignal.abort("gone")).signal.reason).toBe("gone");
    expect(listeners(long.signal)).toBe(0);
  });
});

describe("underDeadline", () => {
  it("answers and throws at once where the work does, and makes its signal only for those who look", async () => {
    const clock = manualClock();
    expect(underDeadline({ timeoutMs: 100, clock }, () => 7)).toBe(7);
    const fail = (): never => {
      throw new Error("no");
    };
    expect(() => underDeadline({ timeoutMs: 100, clock }, fail)).toThrow("no");
    const gone = AbortSignal.abort(new Error("stop"));
    expect(() => underDeadline({ timeoutMs: 100, clock, signal: gone }, () => 7)).toThrow("stop");
    let context: { readonly signal: AbortSignal } | undefined;
    const late = underDeadline<number>({ timeoutMs: 100, clock }, (given) => {
      context = given;
      return new Promise(() => undefined);
    });
    clock.advance(100);
    await expect(late).rejects.toThrow("did not answer within 100ms");
    expect(context!.signal.reason).toBeInstanceOf(DeadlineError);
  });
});

describe("withDeadline", () => {
  it("rejects at the deadline although the work never listens, and aborts the work's signal", async () => {
    const clock = manualClock();
    let seen: AbortSignal | undefined;
    const late = withDeadline({ timeoutMs: 100, clock }, (context) => {
      seen = context.signal;
      return new Promise<never>(() => undefined);
    });
    clock.advance(99);
    expect(seen?.aborted).toBe(false);
    clock.advance(1);
    await expect(late).rejects.toBeInstanceOf(DeadlineError);
    expect(seen?.aborted).toBe(true);
  });

  it("gives the answer of work that is in time, and rejects with the caller's reason", async () => {
    expect(await withDeadline({ timeoutMs: 100, clock: manualClock() }, () => 7)).toBe(7);
    const caller = new AbortController();
    const work = withDeadline({ timeoutMs: 100, signal: caller.signal }, () => new Promise(() => undefined));
    caller.abort(new Error("stop"));
    await expect(work).rejects.toThrow("stop");
    expect(listeners(caller.signal)).toBe(0);
  });

  it("sets no alarm for work that answers at once, and none is left behind", async () => {
    let alarms = 0;
    const clock: Clock = {
      ...manualClock(),
      alarm: () => {
        alarms += 1;
        return () => void (alarms -= 1);
      },
    };
    expect(await withDeadline({ timeoutMs: 100, clock }, () => 7)).toBe(7);
    expect(alarms).toBe(0);
    const pending = withDeadline({ timeoutMs: 100, clock }, () => Promise.resolve(7));
    expect(alarms).toBe(1);
    expect(await pending).toBe(7);
    expect(alarms).toBe(0);
  });

  it.each([
    ["answers", () => 7],
    ["answers later", () => Promise.resolve(7)],
    ["fails later", () => Promise.reject(new Error("work"))],
  ])("rejects with the caller's reason when work that %s stopped the caller first", async (_, answer) => {
    const caller = new AbortController();
    const stopped = withDeadline<number>({ timeoutMs: 100, signal: caller.signal }, () => {
      caller.abort(new Error("stop"));
      return answer();
    });
    await expect(stopped).rejects.toThrow("stop");
    expect(listeners(caller.signal)).toBe(0);
  });

  it("turns a synchronous throw into a rejection", async () => {
    await expect(
      untilAborted(new AbortController().signal, () => {
        throw new Error("sync");
      }),
    ).rejects.toThrow("sync");
  });
});
