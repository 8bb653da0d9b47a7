import { describe, expect, it } from "vitest";
import {
  output,
  OutputError,
  runOutput,
  streamOutput,
  type OutputOptions,
  type TurnRunner,
} from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { bad, good, total } from "./support/asking.ts";

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
    ["impossible_bounds", "go", { attempts: 2, attemptsUsed: 2 }],
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

  // case 68
  it.each<[string, unknown]>([
    ["the options are an object, not null", null],
    ["the options are an object, not 5", 5],
    ['siblings is one of skip, run, veto, not "maybe"', { siblings: "maybe" }],
    ['loss is one of allow, refuse, not "never"', { loss: "never" }],
    ["history is one of whole, minimal, not an object", { history: {} }],
    ['closing is "none" or an object, not "never"', { closing: "never" }],
    ['redact is true or false, not "yes"', { redact: "yes" }],
    ["signal is an AbortSignal, not an object", { signal: {} }],
    ["signal is an AbortSignal, not null", { signal: null }],
    ["signal is an AbortSignal, not an object", { signal: new EventTarget() }],
    ["clock is a Clock, with now, monotonicMs and alarm, not an object", { clock: { now: Date.now } }],
    ["memory is a LadderMemory, with refused and remember, not 3", { memory: 3 }],
    ["bounds is an object, not 3", { bounds: 3 }],
    ['graceMs is a number of milliseconds, not "5"', { graceMs: "5" }],
    ["validate is a function, not 5", { validate: 5 }],
    ["onAttempt is a function, not null", { onAttempt: null }],
    ["attempts must be a whole number of at least 1, is a string", { attempts: "3" }],
    ["rounds must be at least 1, is a string", { bounds: { rounds: "2" } }],
  ])("says which option means nothing: %s", async (message, options) => {
    const runner = scriptedRunner([{ terminal: good }]);
    const attempt = await runOutput(runner, total, "go", options as OutputOptions);
    expect(attempt).toMatchObject({ status: "failed", error: { message } });
    const told: unknown[] = [];
    for await (const event of streamOutput(runner, total, "go", options as OutputOptions)) told.push(event);
    expect(told).toMatchObject([{ type: "result", attempt: { status: "failed", error: { message } } }]);
    expect(["report" in attempt, runner.requests.length]).toEqual([false, 0]);
    const fine: OutputOptions = { siblings: "run", loss: "allow", history: "whole", closing: {}, graceMs: 0 };
    expect((await runOutput(runner, total, "go", { ...fine, redact: false })).status).toBe("accepted");
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
