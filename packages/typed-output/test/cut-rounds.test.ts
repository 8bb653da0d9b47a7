import { describe, expect, it } from "vitest";
import { createLadderMemory } from "../src/index.ts";
import { ask, bad, good, total, toolTexts, userTexts } from "./support/asking.ts";

const answers = (...inputs: readonly string[]) => inputs.map((input) => ({ name: "$output", input }));

// case 78
describe("a round that was cut off", () => {
  it("is cut in its last call alone: one before it is the answer", async () => {
    const { attempt } = await ask([{ calls: answers(good, '{"tot'), finish: "length" }]);
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 } });
  });

  it("is judged call by call, and one before the last is told what is wrong with it", async () => {
    const { attempt, runner } = await ask([
      { calls: answers(bad, good), finish: "length" },
      { terminal: good },
    ]);
    const [first] = toolTexts(runner);
    expect(first).toContain("/total");
    expect(attempt.attempts[0]).toMatchObject({ verdict: "mismatch" });
    expect(attempt.attempts[1]).toMatchObject({ verdict: "truncated" });
  });

  it("takes no last call, not even a whole one: whether it is whole is not known", async () => {
    const { attempt } = await ask([{ calls: answers(good), finish: "length" }]);
    expect(attempt).toMatchObject({ status: "truncated", limit: "output_tokens" });
  });

  it("that ended by itself takes the last call", async () => {
    const { attempt } = await ask([{ calls: answers(bad, good), finish: "tool_calls" }]);
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 } });
  });
});

// cases 34 and 78
describe("a round of work that was cut off", () => {
  it("is no end of the work when its tools ran", async () => {
    const look = { calls: [{ name: "look", input: '{"at":1}' }], finish: "length" } as const;
    const host = { tools: { look: () => "seen" } };
    const { attempt, runner } = await ask([look, { terminal: good }], { spec: total.withTools(), host });
    expect(attempt).toMatchObject({ status: "accepted", plan: { closing: 0 } });
    expect([toolTexts(runner)[0], userTexts(runner)]).toEqual(["seen", []]);
  });

  it.each(["", "{}", " { } "])(
    "runs no call that ended before its input, which is %j then",
    async (input) => {
      const ran: string[] = [];
      const host = {
        tools: { look: () => (ran.push("look"), "seen"), wipe: () => (ran.push("wipe"), "done") },
      };
      const calls = [
        { name: "look", input: "{}" },
        { name: "wipe", input },
      ];
      const cut = { calls, finish: "length" } as const;
      const { attempt, runner } = await ask([cut, { terminal: good }], { spec: total.withTools(), host });
      expect(attempt).toMatchObject({ status: "accepted", plan: { closing: 0 } });
      expect(ran).toEqual(["look"]);
      expect(toolTexts(runner)).toContain("not executed: the reply reached its limit in this call");
      await ask([{ calls }, { terminal: good }], { spec: total.withTools(), host });
      expect(ran.filter((name) => name === "wipe")).toHaveLength(input === "" ? 0 : 1);
    },
  );
});

// cases 21 and 23
describe("a refusal of the tool choice", () => {
  const model = JSON.stringify(["scripted", "", "model"]);
  const refused = { error: { status: 400, message: "tool_choice is not supported" } };

  it("while a working turn works is the host's error: the gate had forced nothing", async () => {
    const memory = createLadderMemory();
    const { attempt } = await ask([refused, { terminal: good }], { spec: total.withTools(), memory });
    expect(attempt).toMatchObject({
      status: "failed",
      error: { code: "provider_error", message: "tool_choice is not supported" },
      plan: { degradations: [] },
    });
    expect(memory.refused(model)).toEqual([]);
  });

  it("in its forced closing round steps down", async () => {
    const rounds = [{ text: "Done." }, refused, { terminal: good }];
    const { attempt, runner } = await ask(rounds, { spec: total.withTools(), closing: { reminder: false } });
    expect(attempt).toMatchObject({ status: "accepted", plan: { degradations: [{ from: "tool" }] } });
    expect(userTexts(runner)).not.toEqual([]);
  });

  it("of a shaping turn steps down", async () => {
    const memory = createLadderMemory();
    const { attempt } = await ask([refused, { terminal: good }], { memory });
    expect(attempt).toMatchObject({ status: "accepted", plan: { degradations: [{ from: "tool" }] } });
    expect(memory.refused(model)).toEqual([{ step: "tool" }]);
  });
});
