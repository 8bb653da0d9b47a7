import type { JsonValue } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import {
  defineOutput,
  output,
  OutputError,
  reserve,
  runOutput,
  type OutputOptions,
  type TurnRunner,
} from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { ask, bad, good, total } from "./support/asking.ts";

const thrown = async (work: Promise<unknown>): Promise<OutputError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OutputError);
  return error as OutputError;
};

describe("a refusal to set up", () => {
  // O22, case 68
  it.each<[string, string, OutputOptions]>([
    ["empty_prompt", " ", {}],
    ["impossible_bounds", "go", { attempts: 0 }],
    ["impossible_bounds", "go", { attempts: 1.5 }],
    ["impossible_bounds", "go", { bounds: { rounds: 0 } }],
    ["impossible_bounds", "go", { bounds: { deadlineMs: Number.NaN } }],
    ["impossible_bounds", "go", { bounds: { tokenBudget: -1 } }],
  ])("is %s, without a report and without a request", async (code, prompt, options) => {
    const runner = scriptedRunner([{ terminal: good }]);
    const attempt = await runOutput(runner, total, prompt, options);
    expect(attempt).toMatchObject({ status: "failed", error: { code } });
    expect("report" in attempt).toBe(false);
    expect(runner.requests).toEqual([]);
    expect((await thrown(output(runner, total, prompt, options))).code).toBe(code);
  });

  // O22
  it("is the host's own error when its run never began", async () => {
    const exhausted = Object.assign(new Error("no free slot"), { code: "pool_exhausted" });
    const runner: TurnRunner = { ...scriptedRunner([]), run: () => Promise.reject(exhausted) };
    const attempt = await runOutput(runner, total, "go");
    expect(attempt).toMatchObject({ status: "failed", error: exhausted });
    expect("report" in attempt).toBe(false);
  });
});

describe("output", () => {
  // O24, O25
  it("answers the value and the report, where runOutput answers the union", async () => {
    const { value, report } = await output(scriptedRunner([{ terminal: good }]), total, "go");
    expect(value).toEqual({ total: 3 });
    expect(report).toMatchObject({ outcome: "completed", usage: { inputTokens: 0 } });
  });

  // O23, O24, case 72
  it("throws an OutputError with the whole attempt, worded as the inner error", async () => {
    const rounds = [{ terminal: bad }];
    const mismatch = await thrown(output(scriptedRunner(rounds), total, "go", { attempts: 1 }));
    expect(mismatch).toMatchObject({
      code: "output_mismatch",
      details: { at: "schema" },
      attempt: { status: "mismatch" },
    });
    expect(mismatch.report?.outcome).toBe("completed");
    expect((await thrown(output(scriptedRunner([{ text: "" }]), total, "go"))).code).toBe("output_missing");
    const inner = { error: { status: 500, message: "the provider is down" } };
    const failed = await thrown(output(scriptedRunner([inner]), total, "go"));
    expect(failed).toMatchObject({ code: "provider_error", message: "the provider is down" });
    expect(failed.cause).toBe(failed.report?.failure);
    expect(OutputError.is(mismatch, "output_mismatch") && mismatch.details.at).toBe("schema");
  });
});

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
    const clock = manualClock();
    const hung = ask([{ terminal: good }], { host: { hangs: true }, clock, graceMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    clock.advance(50);
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
    await expect(runOutput(scriptedRunner([]), undefined as never, "go")).rejects.toThrow(TypeError);
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
    const json = JSON.parse(JSON.stringify(attempt)) as Record<string, Record<string, unknown>>;
    expect(Object.isFrozen(attempt)).toBe(true);
    expect(json["attempts"]).toEqual([
      {
        number: 1,
        toolCallId: expect.any(String),
        usage: expect.any(Object),
        verdict: "accepted",
        issues: [],
        notes: [],
        repeated: false,
        ms: 0,
      },
    ]);
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
