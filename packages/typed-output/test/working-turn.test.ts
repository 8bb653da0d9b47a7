import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { ask, bad, good, total, userTexts } from "./support/asking.ts";

const spec = total.withTools();
const host = { tools: { read: () => "seen" } };
const read = { calls: [{ name: "read", input: {} }] };
const prose = { text: "All is done." };
const tokens = (outputTokens: number) => ({ usage: { outputTokens } });

describe("a working turn", () => {
  // O2, case 21
  it("offers the whole toolset and the terminal tool last, and leaves the choice to the model", async () => {
    const { runner, attempt } = await ask([read, { terminal: good }], { spec, host });
    expect(runner.requests.map(({ tools, offer }) => [tools, offer.choice])).toEqual(
      [1, 2].map(() => [["read", attempt.plan.toolName], { type: "auto" }]),
    );
  });

  // O35, cases 32, 33, 34
  it("reads, then answers, in one run whose last row is a tool result", async () => {
    const { attempt, runner } = await ask([read, { terminal: good }, prose], { spec, host });
    expect(attempt).toMatchObject({
      status: "accepted",
      value: { total: 3 },
      plan: { turn: "working", closing: 0 },
    });
    expect(attempt.plan.rung).toBeUndefined();
    expect(runner.executed).toEqual(["read"]);
    expect(runner.left).toBe(1);
    expect(runner.transcript.at(-1)).toMatchObject({ role: "tool", output: "accepted", isError: false });
  });

  // O36, case 35
  it("is reminded once when it ends in prose, then forced once, then missing", async () => {
    const { attempt, runner } = await ask([prose, prose, { text: "Really." }, { terminal: good }], {
      spec,
      host,
    });
    expect(attempt).toMatchObject({
      status: "missing",
      ended: "prose",
      text: "Really.",
      plan: { closing: 2 },
    });
    expect(runner.requests.map(({ offer }) => offer.choice.type)).toEqual(["auto", "auto", "tool"]);
    expect(userTexts(runner)[0]).toMatch(/^You have not answered yet/);
    expect(userTexts(runner)[1]).toMatch(/^Give your answer now/);
    const answers = await ask([prose, prose, { terminal: good }], { spec, host });
    expect(answers.attempt.status).toBe("accepted");
  });

  // case 36, O18
  it("ends at once, with its report, when closing is off", async () => {
    const { attempt } = await ask([prose], { spec, host, closing: "none" });
    expect(attempt).toMatchObject({
      status: "missing",
      ended: "prose",
      text: prose.text,
      report: { outcome: "completed" },
    });
  });

  it("leaves out the reminder or the forced round when told to", async () => {
    const forcedOnly = await ask([prose, prose], { spec, host, closing: { reminder: false } });
    expect(forcedOnly.runner.requests.map(({ offer }) => offer.choice.type)).toEqual(["auto", "tool"]);
    const reminderOnly = await ask([prose, prose], { spec, host, closing: { forced: false } });
    expect(reminderOnly.runner.requests.map(({ offer }) => offer.choice.type)).toEqual(["auto", "auto"]);
    expect(reminderOnly.attempt.plan.closing).toBe(1);
  });

  // case 40, O19
  it("is missing, not failed, when it answers nothing at all", async () => {
    const { attempt } = await ask([{ text: "" }], { spec, host, closing: "none" });
    expect(attempt).toMatchObject({ status: "missing", ended: "empty", text: "" });
    const shaping = await ask([{ text: " " }]);
    expect(shaping.attempt).toMatchObject({ status: "missing", ended: "empty" });
  });

  // case 39
  it("is missing when the host stops it, with the stop in the report", async () => {
    const { attempt } = await ask([read, read], { spec, host: { ...host, stopBefore: 2 } });
    expect(attempt).toMatchObject({
      status: "missing",
      ended: "stop",
      report: { outcome: "stopped", stoppedBy: "stop" },
    });
  });

  it("is unsupported on a model without tools", async () => {
    const { attempt } = await ask([], { spec, host: { capabilities: { tools: false } } });
    expect(attempt).toMatchObject({ status: "unsupported", at: "strategy" });
  });
});

describe("a bound in the middle of the work", () => {
  // O21, case 37
  it("closes from the reserved slice of the rounds, and is bounded when that brings no answer", async () => {
    const bounds = { rounds: 3 };
    const closes = await ask([read, read, { terminal: good }], { spec, host, bounds });
    expect(closes.attempt).toMatchObject({ status: "accepted", plan: { closing: 1, rung: "tool" } });
    const bounded = await ask([read, read, prose, { terminal: good }], { spec, host, bounds });
    expect(bounded.attempt).toMatchObject({
      status: "bounded",
      by: "rounds",
      report: { outcome: "stopped", stoppedBy: "rounds" },
    });
    expect(bounded.runner.left).toBe(1);
  });

  // O21, case 37
  it("closes from the reserved tokens", async () => {
    const bounds = { tokenBudget: 100 };
    const { attempt } = await ask([{ ...read, ...tokens(90) }, { terminal: good }], { spec, host, bounds });
    expect(attempt).toMatchObject({ status: "accepted", plan: { closing: 1 } });
  });

  // case 38
  it("asks no more when nothing is left to close with", async () => {
    const over = await ask([{ ...read, ...tokens(150) }, { terminal: good }], {
      spec,
      host,
      bounds: { tokenBudget: 100 },
    });
    expect(over.attempt).toMatchObject({ status: "bounded", by: "token_budget" });
    expect(over.runner.left).toBe(1);
    const kept = { tokenBudget: 100, closing: { tokens: 0 } };
    const without = await ask([{ ...read, ...tokens(100) }, { terminal: good }], {
      spec,
      host,
      bounds: kept,
    });
    expect(without.attempt).toMatchObject({ status: "bounded", by: "token_budget" });
    const one = await ask([read, { terminal: good }], { spec, host, bounds: { rounds: 1 } });
    expect(one.attempt).toMatchObject({ status: "bounded", by: "rounds" });
  });

  // O21
  it("runs no tool beyond the tool budget and closes", async () => {
    const twice = { calls: [...read.calls, ...read.calls] };
    const { attempt, runner } = await ask([twice, { terminal: good }], {
      spec,
      host,
      bounds: { toolBudget: 1 },
    });
    expect(runner.executed).toEqual(["read"]);
    expect(attempt).toMatchObject({ status: "accepted", plan: { closing: 1 } });
  });

  // O21, case 37
  it("closes in the reserved time and is bounded at the deadline itself", async () => {
    const clock = manualClock();
    const slow = { ...read, before: () => clock.advance(95) };
    const closes = await ask([slow, { terminal: good }], { spec, host, clock, bounds: { deadlineMs: 100 } });
    expect(closes.attempt).toMatchObject({ status: "accepted", plan: { closing: 1 } });
    const late = { ...read, before: () => clock.advance(101) };
    const bounded = await ask([late, { terminal: good }], { spec, host, clock, bounds: { deadlineMs: 100 } });
    expect(bounded.attempt).toMatchObject({
      status: "bounded",
      by: "deadline",
      report: { outcome: "cancelled" },
    });
  });

  // O21
  it("bounds a shaping turn too, each bound by its name", async () => {
    const { attempt } = await ask([{ terminal: bad }, { terminal: bad }], { bounds: { rounds: 1 } });
    expect(attempt).toMatchObject({ status: "bounded", by: "rounds", attempts: [{ verdict: "mismatch" }] });
  });

  // O21, case 37
  it("works in its only round, and runs no more calls than its budget has left", async () => {
    const only = await ask([{ terminal: good }], { spec, host, bounds: { rounds: 1 } });
    expect(only.runner.requests[0]!.offer.choice).toEqual({ type: "auto" });
    const call = { name: "read", input: {} };
    const rounds = [{ calls: [call] }, { calls: [call, call, call] }, { terminal: good }];
    const { attempt, runner } = await ask(rounds, { spec, host, bounds: { toolBudget: 2 } });
    expect(runner.executed).toEqual(["read", "read"]);
    expect(attempt).toMatchObject({ status: "accepted", plan: { closing: 1 } });
  });
});
