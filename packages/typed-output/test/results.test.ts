import { emptyUsage, type JsonValue } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { defineOutput, reserve, runOutput, type TurnRunner } from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { ask, bad, good, total } from "./support/asking.ts";

describe("the union", () => {
  // O37, case 74
  it("is failed with the typed error and the usage so far when the provider fails", async () => {
    const rounds = [
      { terminal: bad, usage: { outputTokens: 9 } },
      { error: { status: 500, message: "down" } },
    ];
    const { attempt } = await ask(rounds);
    expect(attempt).toMatchObject({
      status: "failed",
      error: { code: "provider_error" },
      report: { outcome: "failed", usage: { outputTokens: 9 } },
    });
    expect(attempt.attempts).toHaveLength(1);
  });

  // case 71
  it.each<JsonValue>([0, "", false, null, []])("is accepted with the value %j", async (value) => {
    const spec = defineOutput<JsonValue>({ name: "any", description: "", schema: true });
    const { attempt } = await ask([{ terminal: JSON.stringify({ value }) }], { spec });
    expect(attempt).toMatchObject({ status: "accepted", value });
  });

  // P3, case 73
  it.each(["refusal", "content_filter"] as const)(
    "is refused by %s, unchecked and without another round",
    async (finish) => {
      const { attempt, runner } = await ask([{ text: "I cannot.", finish }, { terminal: good }]);
      expect(attempt).toMatchObject({ status: "refused", text: "I cannot.", attempts: [] });
      expect(runner.left).toBe(1);
      const withCall = await ask([{ terminal: good, finish }]);
      expect(withCall.attempt.status).toBe("refused");
    },
  );

  // O40, case 39
  it("is cancelled with a report, and the host takes the turn back", async () => {
    const controller = new AbortController();
    const cancel = { terminal: bad, before: () => controller.abort() };
    const { attempt, runner } = await ask([cancel], { signal: controller.signal });
    expect(attempt).toMatchObject({ status: "cancelled", report: { outcome: "cancelled" } });
    expect(runner.transcript).toEqual([]);
    const before = await ask([{ terminal: good }], { signal: AbortSignal.abort() });
    expect(before.attempt).toMatchObject({ status: "cancelled", report: { outcome: "cancelled" } });
    expect(before.runner.left).toBe(1);
  });

  // case 69
  it("says what a host did that failed after the answer, threw, forgot its report or never came back", async () => {
    const lost = new Error("the sink is full");
    const late = await ask([{ terminal: good }], { host: { failAfter: lost } });
    expect(late.attempt).toMatchObject({ status: "failed", error: lost, report: { failure: lost } });
    const hung = ask([{ terminal: good }], { host: { hangs: true }, graceMs: 1 });
    expect((await hung).attempt).toMatchObject({
      status: "failed",
      error: { code: "host_failed", details: { reason: "unresponsive" } },
      report: { outcome: "failed" },
    });
    const base = scriptedRunner([]);
    const forgets: TurnRunner = { ...base, run: async ({ gate }) => void gate.offer() as never };
    expect(await runOutput(forgets, total, "go")).toMatchObject({
      status: "failed",
      error: { details: { reason: "no_report" } },
    });
    const throws: TurnRunner = {
      ...base,
      run: async ({ gate }) => {
        gate.offer();
        throw lost;
      },
    };
    expect(await runOutput(throws, total, "go")).toMatchObject({
      status: "failed",
      error: lost,
      report: { outcome: "failed" },
    });
  });

  // case 69
  it("rejects for nothing but a programmer's error", async () => {
    await expect(runOutput({} as TurnRunner, total, "go")).rejects.toThrow(TypeError);
    for (const subject of [
      undefined,
      null,
      "total",
      {},
      { type: "object" },
      { toolName: "x" },
      { spec: {} },
    ]) {
      const run = runOutput(scriptedRunner([]), subject as never, "go");
      await expect(run).rejects.toThrow(/the spec is none that/);
    }
    expect(() => reserve({ type: "object" } as never)).toThrow(/the spec is none that/);
    const observed = await ask([{ terminal: good }], {
      onAttempt: () => {
        throw new Error("observer");
      },
    });
    expect(observed.attempt.status).toBe("accepted");
  });

  // case 75
  it("is frozen and says itself as stable JSON, errors too", async () => {
    const { attempt } = await ask([{ terminal: good }], { clock: manualClock() });
    expect(Object.isFrozen(attempt)).toBe(true);
    expect(JSON.parse(JSON.stringify(attempt))).toEqual({
      status: "accepted",
      value: { total: 3 },
      normalized: false,
      attempts: [
        {
          number: 1,
          toolCallId: expect.any(String),
          usage: emptyUsage,
          verdict: "accepted",
          issues: [],
          notes: [],
          repeated: false,
          ms: 0,
        },
      ],
      plan: expect.objectContaining({
        turn: "shaping",
        rung: "tool",
        closing: 0,
        degradations: [],
        ledger: [],
      }),
      report: {
        runId: expect.any(String),
        outcome: "completed",
        usage: emptyUsage,
        text: "",
        transcript: { sessionId: "scripted", from: 0, to: 3 },
      },
    });
    const failed = await ask([{ error: { status: 500, message: "down" } }]);
    expect(JSON.parse(JSON.stringify(failed.attempt))).toMatchObject({
      error: { name: "Error", code: "provider_error", message: "down" },
    });
  });

  // case 75, 62
  it("holds nothing of the answer when redaction is on", async () => {
    const secret = '{"total":"s3cret","s3cret":1}';
    const { attempt, runner } = await ask([{ terminal: secret }], { redact: true, attempts: 1 });
    expect(attempt.status).toBe("mismatch");
    expect(JSON.stringify(attempt)).not.toContain("s3cret");
    expect(JSON.stringify(runner.transcript)).not.toContain("s3cret");
    const open = await ask([{ terminal: secret }], { attempts: 1 });
    expect(JSON.stringify(open.attempt)).toContain("s3cret");
  });

  // case 39
  it("is cancelled or bounded when the host calls an aborted run completed", async () => {
    const report = { runId: "r", outcome: "completed" as const, usage: emptyUsage };
    const base = scriptedRunner([]);
    const controller = new AbortController();
    const careless: TurnRunner = {
      ...base,
      run: async ({ gate }) => {
        gate.offer();
        controller.abort();
        return report;
      },
    };
    const cancelled = await runOutput(careless, total, "go", { signal: controller.signal });
    expect(cancelled).toMatchObject({ status: "cancelled" });
    const clock = manualClock();
    const late: TurnRunner = { ...base, run: async () => (clock.advance(10), report) };
    const bounded = await runOutput(late, total, "go", { clock, bounds: { deadlineMs: 10 } });
    expect(bounded).toMatchObject({ status: "bounded", by: "deadline" });
  });

  // O41
  it("keeps twenty runs at a time apart", async () => {
    const rounds = (n: number) => [{ terminal: bad }, { terminal: `{"total":${n}}` }];
    const runs = Array.from({ length: 20 }, (_, n) =>
      runOutput(scriptedRunner(rounds(n)), reserve(total), "go"),
    );
    const values = (await Promise.all(runs)).map(
      (attempt) => attempt.status === "accepted" && attempt.value.total,
    );
    expect(values).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  // case 76
  it("reports a failed typed run field for field as the host reported it", async () => {
    const { attempt } = await ask([{ terminal: bad, usage: { inputTokens: 2 } }], { attempts: 1 });
    expect(attempt.report).toEqual({
      runId: expect.any(String),
      outcome: "completed",
      usage: { inputTokens: 2, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
      text: "",
      transcript: { sessionId: "scripted", from: 0, to: 3 },
    });
  });
});
