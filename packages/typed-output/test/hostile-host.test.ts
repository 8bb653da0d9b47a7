import { describe, expect, it } from "vitest";
import { emptyUsage, type RunReport } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import {
  runOutput,
  type ReplyFacts,
  type TerminalGate,
  type TurnRunner,
  type Validate,
  type ValidateDecision,
} from "../src/index.ts";
import { ask, good, total, type Total } from "./support/asking.ts";

const done: RunReport = { runId: "run", outcome: "completed", usage: emptyUsage };
const trap = (): never => {
  throw new Error("trap");
};

/** A host that is nothing but its `run`. */
const host = (run: (gate: TerminalGate) => Promise<unknown>): TurnRunner => ({
  capabilities: { model: { provider: "p", id: "m" }, tools: true, forced: "named", native: "none" },
  run: ({ gate }) => run(gate) as Promise<RunReport>,
});
const answers = (gate: TerminalGate, totals: readonly number[], facts?: ReplyFacts) => {
  gate.offer();
  const call = (value: number) => ({
    toolCallId: `c${value}`,
    toolName: gate.toolName,
    input: `{"total":${value}}`,
  });
  return gate.admit(totals.map(call), facts);
};
const accept = (value: unknown): ValidateDecision => ({ decision: "accept", value }) as ValidateDecision;

describe("a validator's value", () => {
  it.each<[string, () => unknown]>([
    ["undefined", () => undefined],
    ["NaN", () => Number.NaN],
    ["a function", () => () => 1],
    ["a big integer", () => 1n],
    ["an instance of a class", () => new Date(0)],
    [
      "a cycle",
      () => Object.assign([], { 0: null, length: 1 }).map((_, __, list) => ((list[0] = list as never), list)),
    ],
    ["a value with one of them inside", () => ({ total: [Number.NaN] })],
  ])("that is not JSON fails the run: %s", async (_what, make) => {
    const { attempt } = await ask([{ terminal: good }], { validate: () => accept(make()) });
    expect(attempt).toMatchObject({ status: "failed", error: { code: "validator_failed" } });
    const fine = await ask([{ terminal: good }], { validate: () => accept({ total: 4 }) });
    expect(fine.attempt).toMatchObject({ status: "accepted", normalized: true });
  });

  it("that it wrote into the candidate counts as normalised, and the candidate stays as the model gave it", async () => {
    const change = (value: unknown): void => void ((value as Total).total = 4);
    const accepting: Validate = (value) => (change(value), accept(value));
    const { attempt } = await ask([{ terminal: good }], { validate: accepting });
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 4 }, normalized: true });
    const refusing: Validate = (value) => (change(value), { decision: "reject", message: "no" });
    const refused = await ask([{ terminal: good }], { validate: refusing, attempts: 1 });
    expect(refused.attempt).toMatchObject({ status: "rejected", candidate: { total: 3 } });
  });
});

describe("a host that settles calls side by side", () => {
  it("gets one acceptance, and each candidate has its number", async () => {
    const kinds: string[] = [];
    const numbers: number[] = [];
    const runner = host(async (gate) => {
      const { terminal } = answers(gate, [1, 2, 3]);
      for (const { kind } of await Promise.all(terminal.map((call) => gate.settle(call)))) kinds.push(kind);
      gate.close();
      return done;
    });
    const validate: Validate = async (value, { attempt }) => {
      numbers.push(attempt);
      return (value as unknown as Total).total === 1 ? { decision: "reject", message: "no" } : accept(value);
    };
    const attempt = await runOutput(runner, total, "Add it up.", { validate });
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 2 } });
    expect([kinds, numbers]).toEqual([
      ["feedback", "accept", "feedback"],
      [1, 2],
    ]);
  });
});

describe("a candidate that is still being judged", () => {
  const slow = () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    return { validate: (async (value) => (await asked, accept(value))) as Validate, answer };
  };

  it("is not accepted once its run is over", async () => {
    const { validate, answer } = slow();
    let late: ReturnType<TerminalGate["settle"]> | undefined;
    const runner = host(async (gate) => {
      const [call] = answers(gate, [1]).terminal;
      late = gate.settle(call!);
      await Promise.resolve();
      return done;
    });
    const attempt = await runOutput(runner, total, "Add it up.", { validate });
    answer();
    expect(attempt.status).toBe("missing");
    expect(await late).toMatchObject({ kind: "end", result: { isError: true } });
  });

  it("is not accepted once the host has gone on to another round", async () => {
    const { validate, answer } = slow();
    const kinds: string[] = [];
    const runner = host(async (gate) => {
      const [first] = answers(gate, [1]).terminal;
      const early = gate.settle(first!);
      await Promise.resolve();
      const [second] = answers(gate, [2]).terminal;
      answer();
      kinds.push((await early).kind, (await gate.settle(second!)).kind);
      return done;
    });
    const attempt = await runOutput(runner, total, "Add it up.", { validate });
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 2 } });
    expect(kinds).toEqual(["feedback", "accept"]);
  });
});

describe("a host that breaks the port", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["an outcome that nobody knows", { ...done, outcome: "weird" }],
    ["no usage", { ...done, usage: null }],
    ["what cannot be looked at", Object.defineProperty({ ...done }, "outcome", { get: trap })],
  ])("fails with the report so far when it returns %s", async (_what, report) => {
    const facts = { usage: { inputTokens: 7 } } as unknown as ReplyFacts;
    const runner = host(async (gate) => (answers(gate, [1], facts), report));
    const attempt = await runOutput(runner, total, "Add it up.");
    expect(attempt).toMatchObject({
      status: "failed",
      error: { code: "host_failed", details: { reason: "no_report" } },
      report: { outcome: "failed", usage: { inputTokens: 7 } },
    });
  });

  it("is told when it hands over parsed arguments", async () => {
    const runner = host(async (gate) => {
      gate.offer();
      gate.admit([{ toolCallId: "c", toolName: gate.toolName, input: { total: 1 } as never }]);
      return done;
    });
    const attempt = await runOutput(runner, total, "Add it up.");
    expect(attempt).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("the text of the arguments") },
    });
  });

  it("cannot hide its tokens from the budget by a usage that is no number", async () => {
    const runner = host(async (gate) => {
      for (const inputTokens of [Number.NaN, -5, Infinity, 100]) {
        expect(gate.offer()).toMatchObject({ tools: "all" });
        const usage = { ...emptyUsage, inputTokens };
        gate.admit([{ toolCallId: "c", toolName: "read", input: "{}" }], { usage }).siblings();
      }
      expect(gate.offer()).toEqual({ kind: "end", status: "bounded" });
      return { ...done, outcome: "stopped" };
    });
    const bounds = { tokenBudget: 100 };
    const attempt = await runOutput(runner, total.withTools(), "Add it up.", { bounds });
    expect(attempt).toMatchObject({ status: "bounded", by: "token_budget" });
  });
});

describe("a host that does not come back after its run was cancelled", () => {
  it("is given up after five seconds, and no sooner", async () => {
    const clock = manualClock();
    const turn = new AbortController();
    let settled = false;
    const runner = host(() => new Promise(() => undefined));
    const asked = runOutput(runner, total, "Add it up.", { clock, signal: turn.signal });
    void asked.then(() => (settled = true));
    await new Promise((next) => void setImmediate(next));
    turn.abort();
    clock.advance(4_999);
    await new Promise((next) => void setImmediate(next));
    expect(settled).toBe(false);
    clock.advance(1);
    expect(await asked).toMatchObject({
      status: "failed",
      error: { code: "host_failed", details: { reason: "unresponsive" } },
    });
  });
});
