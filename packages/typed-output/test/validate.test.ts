import { manualClock } from "@basis/core/testing";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineOutput, type Validate } from "../src/index.ts";
import { ask, bad, good, toolTexts } from "./support/asking.ts";

const acceptAll: Validate = (value) => ({ decision: "accept", value });
const rejectAll: Validate = () => ({ decision: "reject", message: "Too small, add the shipping." });

describe("the rejection loop", () => {
  // O26, case 56
  it("tells the model the host's words as that call's error result, once, in the same run", async () => {
    let calls = 0;
    const validate: Validate = (value) =>
      calls++ === 0 ? rejectAll(value, {} as never) : acceptAll(value, {} as never);
    const { attempt, runner } = await ask([{ terminal: good }, { terminal: '{"total":4}' }], { validate });
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 4 } });
    const texts = toolTexts(runner);
    expect(texts[0]).toBe("Too small, add the shipping.\n2 attempts are left.");
    expect(texts.filter((text) => text.includes("Too small"))).toHaveLength(1);
    expect(attempt.attempts[0]).toMatchObject({ verdict: "rejected", feedback: texts[0] });
    expect(runner.transcript.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  // O29, case 57
  it("looks at `attempts` candidates and no more; one attempt is never asked again", async () => {
    const rounds = Array.from({ length: 5 }, () => ({ terminal: good }));
    const three = await ask(rounds, { validate: rejectAll });
    expect([three.attempt.attempts.length, three.runner.left]).toEqual([3, 2]);
    const one = await ask(rounds, { validate: rejectAll, attempts: 1 });
    expect([one.attempt.attempts.length, one.runner.left]).toEqual([1, 4]);
    expect(one.attempt.attempts[0]?.feedback).toBeUndefined();
  });

  // case 57, 58
  it("does not count a step down, and starts at zero for each run", async () => {
    const refused = { error: { status: 400, message: "tool_choice is not supported" } };
    const first = await ask([refused, { terminal: bad }, { terminal: good }], { attempts: 2 });
    expect(first.attempt.attempts.map(({ number }) => number)).toEqual([1, 2]);
    const second = await ask([{ terminal: good }], { attempts: 2 });
    expect(second.attempt.attempts.map(({ number }) => number)).toEqual([1]);
  });

  // O30, O34, case 67
  it("accounts the usage of all rounds, and to each candidate that of the rounds since the one before", async () => {
    const usage = (outputTokens: number) => ({ usage: { inputTokens: 10, outputTokens } });
    const rounds = [
      { text: "hm", ...usage(1) },
      { terminal: bad, ...usage(2) },
      { terminal: good, ...usage(4) },
    ];
    const { attempt } = await ask(rounds);
    expect(attempt.report?.usage).toMatchObject({ inputTokens: 30, outputTokens: 7 });
    expect(attempt.attempts.map((record) => record.usage.outputTokens)).toEqual([3, 4]);
  });

  // O20, case 65
  it("ends as mismatch for the schema and as rejected for the host, with the last candidate and all issues", async () => {
    const mismatch = await ask([{ terminal: bad }, { terminal: "{}" }], { attempts: 2 });
    expect(mismatch.attempt).toMatchObject({
      status: "mismatch",
      at: "schema",
      candidate: {},
      issues: [{ keyword: "required" }],
    });
    expect(mismatch.attempt.attempts.map(({ issues }) => issues[0]?.keyword)).toEqual(["type", "required"]);
    const rejected = await ask([{ terminal: good }, { terminal: good }], {
      attempts: 2,
      validate: rejectAll,
    });
    expect(rejected.attempt).toMatchObject({
      status: "rejected",
      candidate: { total: 3 },
      reasons: Array(2).fill("Too small, add the shipping."),
    });
  });

  // case 64
  it("says so when the same candidate comes twice in a row", async () => {
    const { runner, attempt } = await ask([
      { terminal: bad },
      { terminal: ' {"total": "three"}' },
      { terminal: good },
    ]);
    const [first, second] = toolTexts(runner);
    expect(first).not.toMatch(/same answer/);
    expect(second).toMatch(/same answer as before/);
    expect(attempt.attempts.map(({ repeated }) => repeated)).toEqual([false, true, false]);
  });
});

describe("the stages", () => {
  const stages = defineOutput({
    name: "n",
    description: "",
    schema: z.object({ n: z.number() }).refine(({ n }) => n !== 13, { path: ["n"], error: "unlucky" }),
  });

  // O12, O42, case 55
  it("ask in order, each failure under its own name, and nobody is asked about what an earlier one refused", async () => {
    const validate = vi.fn<Validate>((value) =>
      (value as { n: number }).n < 0
        ? { decision: "reject", message: "negative" }
        : { decision: "accept", value },
    );
    const rounds = ["{n", '{"n":"x"}', '{"n":-1}', '{"n":13}'].map((terminal) => ({ terminal }));
    const { attempt } = await ask(rounds, { spec: stages, validate, attempts: 9 });
    expect(attempt).toMatchObject({
      status: "mismatch",
      at: "decode",
      candidate: { n: 13 },
      issues: [{ pointer: "/n", message: "unlucky" }],
    });
    expect(attempt.attempts.map(({ verdict }) => verdict)).toEqual([
      "malformed",
      "mismatch",
      "rejected",
      "undecodable",
    ]);
    expect(attempt.attempts.map(({ issues }) => issues[0]?.stage)).toEqual([
      "parse",
      "schema",
      "validate",
      "decode",
    ]);
    expect(validate).toHaveBeenCalledTimes(2);
  });

  // O27, O28, case 59
  it("decode and keep the value that the validator put in place, recorded as normalised", async () => {
    const validate: Validate = () => ({ decision: "accept", value: { n: 77777777 } });
    const { attempt, runner } = await ask([{ terminal: '{"n":1}' }], { spec: stages, validate });
    expect(attempt).toMatchObject({ status: "accepted", value: { n: 77777777 }, normalized: true });
    expect(attempt.attempts[0]?.notes).toEqual([{ kind: "validator", pointer: "" }]);
    expect(JSON.stringify(runner.transcript)).not.toContain("77777777");
    const same: Validate = (value) => ({ decision: "accept", value: { ...(value as object) } });
    expect((await ask([{ terminal: '{"n":1}' }], { spec: stages, validate: same })).attempt).toMatchObject({
      normalized: false,
    });
  });

  // case 61
  it("tell the validator the attempt, what remains, the usage so far, and give it the run's signal", async () => {
    const seen: unknown[] = [];
    const validate: Validate = (value, { attempt, remaining, usage, signal }) => {
      seen.push([attempt, remaining, usage.outputTokens, signal.aborted]);
      return rejectAll(value, {} as never);
    };
    await ask(
      [
        { terminal: good, usage: { outputTokens: 5 } },
        { terminal: good, usage: { outputTokens: 6 } },
      ],
      { validate, attempts: 2 },
    );
    expect(seen).toEqual([
      [1, 1, 5, false],
      [2, 0, 11, false],
    ]);
  });
});

describe("a validator that cannot answer", () => {
  // O31, case 60
  it("fails the run when it throws, and the model hears nothing of it", async () => {
    const cause = new Error("the database is down");
    const throws: Validate = () => {
      throw cause;
    };
    const { attempt, runner } = await ask([{ terminal: good }, { terminal: good }], { validate: throws });
    expect(attempt).toMatchObject({ status: "failed", error: { code: "validator_failed", cause } });
    expect(attempt.status === "failed" && attempt.report?.failure).toBe(
      attempt.status === "failed" && attempt.error,
    );
    expect(JSON.stringify(runner.transcript)).not.toContain("database");
    expect(runner.left).toBe(1);
  });

  // O31
  it.each([
    undefined,
    true,
    { ok: true },
    { decision: "maybe" },
    { decision: "accept" },
    { decision: "reject" },
  ])("fails the run when it answers %j", async (answer) => {
    const { attempt } = await ask([{ terminal: good }], { validate: () => answer as never });
    expect(attempt).toMatchObject({ status: "failed", error: { code: "validator_failed" } });
  });

  // O32, case 61
  it("is left behind at the deadline and on cancel", async () => {
    const clock = manualClock();
    const hangs: Validate = () => {
      queueMicrotask(() => clock.advance(1_000));
      return new Promise(() => undefined);
    };
    const late = await ask([{ terminal: good }], { validate: hangs, clock, bounds: { deadlineMs: 500 } });
    expect(late.attempt).toMatchObject({ status: "bounded", by: "deadline", attempts: [] });
    const controller = new AbortController();
    const cancels: Validate = () => {
      queueMicrotask(() => controller.abort());
      return new Promise(() => undefined);
    };
    const cancelled = await ask([{ terminal: good }], { validate: cancels, signal: controller.signal });
    expect(cancelled.attempt).toMatchObject({ status: "cancelled" });
    const slow: Validate = async (value) => acceptAll(value, {} as never);
    expect((await ask([{ terminal: good }], { validate: slow })).attempt.status).toBe("accepted");
  });
});

describe("a decoder that throws", () => {
  it("fails the run as the host's fault", async () => {
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "x",
        validate: (): never => {
          throw new Error("boom");
        },
      },
    };
    const spec = defineOutput({ name: "x", description: "", schema, jsonSchema: true });
    const { attempt } = await ask([{ terminal: '{"value":1}' }], { spec });
    expect(attempt).toMatchObject({ status: "failed", error: { code: "decoder_failed", message: "boom" } });
  });
});
