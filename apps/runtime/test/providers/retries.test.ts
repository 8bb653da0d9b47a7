import { emptyUsage, type TokenUsage } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelError, type ModelErrorCode, type ModelErrorDetails } from "../../src/providers/model-error.ts";
import type { ModelEvent } from "../../src/providers/model.ts";
import { defaultRetries, withRetries, type Attempt, type RetryPolicy } from "../../src/providers/retries.ts";
import { retryAfterMs } from "../../src/providers/retry-after.ts";
import { hurriedClock } from "./rounds.ts";

const finish: ModelEvent = {
  type: "finish",
  finishReason: "stop",
  usage: emptyUsage,
  message: { role: "assistant", content: [] },
};

function failure(code: ModelErrorCode, told: object = {}, usage?: TokenUsage): ModelError {
  const details = told as ModelErrorDetails[ModelErrorCode];
  return new ModelError(code, code, { details, ...(usage === undefined ? {} : { usage }) });
}

/** Fails with the errors in turn, then finishes; says `before` first each time. */
function failing(errors: readonly unknown[], before: readonly ModelEvent[] = []): Attempt {
  let calls = 0;
  return async function* attempt() {
    yield* before;
    const error = errors[calls];
    calls += 1;
    if (error !== undefined) throw error;
    yield finish;
  };
}

async function run(attempt: Attempt, policy: Partial<RetryPolicy> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const options = {
    policy: { ...defaultRetries, ...policy },
    clock: hurriedClock,
    signal: undefined,
    random: () => 0,
  };
  for await (const event of withRetries(attempt, options)) events.push(event);
  return events;
}

describe("a round", () => {
  test("is asked again with doubling pauses after errors worth repeating", async () => {
    const events = await run(failing([failure("overloaded"), failure("server_error"), failure("network")]));
    expect(
      events.map((event) => (event.type === "retry" ? [event.attempt, event.delayMs] : event.type)),
    ).toEqual([[2, 500], [3, 1000], [4, 2000], "finish"]);
  });

  test("is given up with the last error when the attempts are used up", async () => {
    const errors = [failure("overloaded"), failure("network")];
    await expect(run(failing(errors), { maxAttempts: 2 })).rejects.toBe(errors[1]);
  });

  test.each(["auth", "bad_request", "not_found", "quota_exceeded", "provider_executed_tool"] as const)(
    "is not asked again after %s",
    async (code) => {
      const error = failure(code);
      await expect(run(failing([error]))).rejects.toBe(error);
    },
  );

  test("is not asked again after anything visible", async () => {
    const error = failure("overloaded");
    await expect(run(failing([error], [{ type: "text", delta: "Hm" }]))).rejects.toBe(error);
  });

  test("is not asked again after an error of the host's own", async () => {
    const error = new TypeError("a bug");
    await expect(run(failing([error]))).rejects.toBe(error);
  });

  test("hands each attempt what the earlier ones used", async () => {
    const seen: TokenUsage[] = [];
    const used = { ...emptyUsage, inputTokens: 9 };
    const inner = failing([failure("overloaded", {}, used), failure("network")]);
    await run((spent) => {
      seen.push(spent);
      return inner(spent);
    });
    expect(seen).toEqual([emptyUsage, used, used]);
  });

  test("stops waiting with the caller's own reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const clock = manualClock();
    const options = { policy: defaultRetries, clock, signal: controller.signal, random: () => 0 };
    const events = withRetries(failing([failure("overloaded")]), options);
    expect((await events.next()).value).toMatchObject({ type: "retry" });
    const waiting = events.next();
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  test("waits exactly as long as it is told, and not at all beyond the longest pause", async () => {
    const [retry] = await run(failing([failure("rate_limited", { retryAfterMs: 4321 })]));
    expect(retry).toMatchObject({ delayMs: 4321 });
    const long = failure("rate_limited", { retryAfterMs: 60_001 });
    await expect(run(failing([long]))).rejects.toBe(long);
  });

  test("never pauses longer than the longest pause, nor less than half of the full one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (random) => {
        const errors = [1, 2, 3].map(() => failure("network"));
        const pauses: number[] = [];
        const policy = { ...defaultRetries, maxDelayMs: 900 };
        const options = { policy, clock: hurriedClock, signal: undefined, random: () => random };
        for await (const event of withRetries(failing(errors), options)) {
          if (event.type === "retry") pauses.push(event.delayMs);
        }
        expect(pauses).toHaveLength(3);
        for (const [index, full] of [500, 900, 900].entries()) {
          expect(pauses[index]).toBeLessThanOrEqual(full);
          expect(pauses[index]).toBeGreaterThanOrEqual(full / 2);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1);

  test.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": " 0.5 " }, 500],
    [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-3" }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("in %j is %s ms", (headers, expected) => {
    expect(retryAfterMs(headers as Record<string, string> | undefined, now)).toBe(expected);
  });
});
