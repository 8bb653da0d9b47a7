import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reserve, runOutput, type SiblingPolicy } from "../src/index.ts";
import { scriptedRunner, type ScriptedRound } from "../src/testing/index.ts";
import { ask, bad, good, resultsPerCall, toolTexts, total } from "./support/asking.ts";

const spec = total.withTools();
const fails = () => {
  throw new Error("no such file");
};
const host = { tools: { a: () => "A", b: () => "B", fails } };
const call = (name: string) => ({ id: `${name}-${Math.random()}`, name, input: {} });
const answer = (totalValue: unknown) => ({ name: "$output", input: { total: totalValue as number } });

describe("the calls around the terminal call", () => {
  // O9, case 48
  it("run when they stand before an accepted answer and are skipped after it", async () => {
    const { attempt, runner } = await ask([{ calls: [call("a"), answer(3), call("b")] }], { spec, host });
    expect(attempt.status).toBe("accepted");
    expect(runner.executed).toEqual(["a"]);
    const output = `not executed: run terminated by '${attempt.plan.toolName}'`;
    expect(runner.transcript).toContainEqual(
      expect.objectContaining({ role: "tool", output, isError: true }),
    );
    expect([...resultsPerCall(runner).values()]).toEqual([1, 1, 1]);
  });

  // O9, case 51
  it("all run when the answer is rejected, and the round goes on", async () => {
    const rounds = [{ calls: [call("a"), answer("x"), call("b")] }, { terminal: good }];
    const { attempt, runner } = await ask(rounds, { spec, host });
    expect(attempt.status).toBe("accepted");
    expect(runner.executed).toEqual(["a", "b"]);
  });

  // case 49
  it("all run under `run`, their results before the end", async () => {
    const rounds = [{ calls: [call("a"), answer(3), call("b")] }];
    const { attempt, runner } = await ask(rounds, { spec, host, siblings: "run" });
    expect(attempt.status).toBe("accepted");
    expect(runner.executed).toEqual(["a", "b"]);
    expect(runner.transcript.at(-1)).toMatchObject({ role: "tool", output: "B" });
  });

  // case 50
  it("speak against the answer under `veto` when one fails, and the model gets both messages", async () => {
    const rounds = [{ calls: [answer(3), call("fails"), call("a")] }, { terminal: good }];
    const { attempt, runner } = await ask(rounds, { spec, host, siblings: "veto" });
    expect(attempt).toMatchObject({
      status: "accepted",
      attempts: [{ verdict: "vetoed" }, { verdict: "accepted" }],
    });
    const texts = toolTexts(runner);
    expect(texts[0]).toBe("no such file");
    expect(texts.find((text) => /another call of this round failed/.test(text))).toMatch(/fails/);
    const agreed = await ask([{ calls: [answer(3), call("a")] }], { spec, host, siblings: "veto" });
    expect(agreed.attempt).toMatchObject({ status: "accepted", attempts: [{ verdict: "accepted" }] });
    const used = await ask([{ calls: [answer(3), call("fails")] }], {
      spec,
      host,
      siblings: "veto",
      attempts: 1,
    });
    expect(used.attempt).toMatchObject({ status: "rejected", candidate: { total: 3 } });
  });

  // case 53
  it("park the run when one of them waits, and do not accept silently", async () => {
    const parks = { ...host, parks: { a: "approval-7" } };
    const { attempt } = await ask([{ calls: [call("a"), answer(3)] }], { spec, host: parks });
    expect(attempt).toMatchObject({
      status: "parked",
      approvalId: "approval-7",
      report: { outcome: "parked" },
    });
    const resumed = await ask([{ terminal: bad }, { terminal: good }], {
      spec,
      host,
      attempts: 2,
      attemptsUsed: 1,
    });
    expect(resumed.attempt).toMatchObject({ status: "mismatch", attempts: [{ number: 2 }] });
  });
});

describe("several terminal calls in a round", () => {
  // O10, case 46
  it("are settled in order; the first good one is the answer and the others are told so", async () => {
    const { attempt, runner } = await ask([{ calls: [answer("x"), answer(4), answer(5)] }]);
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 4 } });
    expect(attempt.attempts.map(({ verdict }) => verdict)).toEqual(["mismatch", "accepted"]);
    expect(toolTexts(runner).at(-1)).toMatch(/^not used: an earlier call/);
  });

  // case 52
  it("count in another letter case, which is noted; an unknown name does not", async () => {
    const reservation = reserve(total);
    const named = (name: string) => scriptedRunner([{ calls: [{ name, input: { total: 3 } }] }]);
    const repaired = await runOutput(named(reservation.toolName.toUpperCase()), reservation, "go");
    expect(repaired).toMatchObject({ status: "accepted", normalized: false });
    expect(repaired.attempts[0]?.notes).toEqual([{ kind: "tool_name_case", pointer: "" }]);
    const unknown = await runOutput(named(reservation.toolName), total, "go");
    expect(unknown.attempts).toEqual([]);
  });
});

// O8, case 47
it("every call has exactly one result, whatever the model does", async () => {
  const names = fc.constantFrom("a", "b", "fails", "unknown", "$output");
  const round: fc.Arbitrary<ScriptedRound> = fc.record({
    text: fc.constantFrom("", "words"),
    finish: fc.constantFrom("stop", "length", "tool_calls", "refusal", "other"),
    calls: fc.array(
      fc.record({
        id: fc.uuid(),
        name: names,
        input: fc.constantFrom({ total: 1 }, { total: "x" }, "{", "[]", {}),
      }),
      { maxLength: 4 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(round, { maxLength: 6 }),
      fc.constantFrom<SiblingPolicy>("skip", "run", "veto"),
      fc.boolean(),
      async (rounds, siblings, working) => {
        const { runner, attempt } = await ask(rounds, { spec: working ? spec : total, host, siblings });
        expect([...resultsPerCall(runner).values()].every((count) => count === 1)).toBe(true);
        expect(attempt.report).toBeDefined();
      },
    ),
    { numRuns: 500 },
  );
});
