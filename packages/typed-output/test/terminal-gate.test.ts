import { emptyUsage, type RunReport } from "@basis/core";
import { afterEach, describe, expect, it } from "vitest";
import {
  defineOutput,
  runOutput,
  type TerminalGate,
  type TurnRequest,
  type TurnRunner,
} from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { bad, good, total, totalSchema } from "./support/asking.ts";

const report: RunReport = { runId: "r", outcome: "completed", usage: emptyUsage };
const call = (gate: TerminalGate, input = good, id = "c1") => ({
  toolCallId: id,
  toolName: gate.toolName,
  input,
});

/** Expectations that failed inside a loop: the run takes them for the host's failure, and the test must not. */
const failed: Error[] = [];
afterEach(() => {
  const [first] = failed.splice(0);
  if (first !== undefined) throw first;
});

/** A host whose loop is the test itself. */
function byHand(
  drive: (request: TurnRequest) => Promise<void>,
  capabilities = scriptedRunner([]).capabilities,
): TurnRunner {
  return {
    capabilities,
    run: async (request) => {
      try {
        await drive(request);
      } catch (error) {
        if (error instanceof Error && error.name === "AssertionError") failed.push(error);
        throw error;
      }
      return report;
    },
  };
}

describe("a gate", () => {
  // O13, O14, case 42
  it("is gone however the run ended: it offers nothing and accepts nothing", async () => {
    const kept: TerminalGate[] = [];
    const ends: string[] = [];
    const caller = new AbortController();
    const after = async (drive: (gate: TerminalGate) => unknown) => {
      const runner = byHand(async ({ gate }) => {
        kept.push(gate);
        gate.offer();
        await drive(gate);
      });
      ends.push((await runOutput(runner, total, "go", { signal: caller.signal })).status);
    };
    await after(async (gate) => {
      gate.admit([call(gate)]);
      await gate.settle(call(gate));
    });
    await after(() => undefined);
    await after(() => {
      throw new Error("host");
    });
    await after(() => caller.abort());
    expect(ends).toEqual(["accepted", "missing", "failed", "cancelled"]);
    for (const gate of kept) {
      expect(gate.offer()).toMatchObject({ kind: "end" });
      expect(gate.admit([call(gate)])).toMatchObject({
        terminal: [],
        refused: [{ result: { isError: true } }],
      });
      expect(await gate.settle(call(gate))).toMatchObject({ kind: "feedback", result: { isError: true } });
      expect(gate.refused({ status: 400, message: "tool_choice" })).toEqual({ kind: "fail" });
    }
  });

  // O38, case 44
  it("takes a call once, in its own round, and no call that it never admitted", async () => {
    const verdicts: string[] = [];
    const runner = byHand(async ({ gate }) => {
      const note = async (id: string, input: string) =>
        verdicts.push((await gate.settle(call(gate, input, id))).kind);
      gate.offer();
      await note("old", good);
      gate.admit([call(gate, bad, "c1")]);
      await note("c1", bad);
      await note("c1", good);
      gate.close();
      gate.offer();
      await note("c1", good);
      gate.admit([call(gate, good, "c2")]);
      await note("c2", good);
    });
    const attempt = await runOutput(runner, total, "go");
    expect(verdicts).toEqual(["feedback", "feedback", "feedback", "feedback", "accept"]);
    expect(attempt).toMatchObject({ status: "accepted", attempts: [{ number: 1 }, { number: 2 }] });
  });

  // O15, case 43
  it("refuses the calls of another agent and takes those of its own", async () => {
    const runner = byHand(async ({ gate }) => {
      gate.offer();
      const foreign = gate.admit([call(gate)], { agentId: "child" });
      expect(foreign.refused[0]?.result.output).toMatch(/another agent/);
      expect(gate.close()).toEqual({ kind: "continue", results: [] });
      gate.admit([call(gate)], { agentId: "main" });
      await gate.settle(call(gate));
    });
    expect((await runOutput(runner, total, "go", { agentId: "main" })).status).toBe("accepted");
  });

  // O16, case 43
  it("does not see the tool of another run, though the specs are equal", async () => {
    let other = "";
    await runOutput(
      byHand(async ({ gate }) => {
        other = gate.toolName;
      }),
      total,
      "go",
    );
    const runner = scriptedRunner([
      { calls: [{ name: other, input: { total: 9 } }], text: "" },
      { terminal: good },
    ]);
    expect(await runOutput(runner, total, "go")).toMatchObject({ status: "accepted", value: { total: 3 } });
  });

  // D16
  it("judges what the last hook left, as text or as a value, and notes the hook", async () => {
    for (const rewrite of [
      { by: "redactor", text: '{"total":8}' },
      { by: "redactor", value: { total: 8 } },
    ]) {
      const attempt = await runOutput(
        scriptedRunner([{ terminal: bad }], { hook: () => ({ rewrite }) }),
        total,
        "go",
      );
      expect(attempt).toMatchObject({
        status: "accepted",
        value: { total: 8 },
        attempts: [{ by: "redactor" }],
      });
    }
    const spoiled = { hook: () => ({ rewrite: { by: "redactor", text: bad } }) };
    const attempt = await runOutput(scriptedRunner([{ terminal: good }], spoiled), total, "go", {
      attempts: 1,
    });
    expect(attempt).toMatchObject({ status: "mismatch", attempts: [{ by: "redactor" }] });
  });

  it("counts a call that a hook denied as a rejected candidate, so that a run with it ends", async () => {
    const hook = () => ({ denied: { by: "guard", message: "Not in office hours." } });
    const attempt = await runOutput(
      scriptedRunner(
        Array.from({ length: 9 }, () => ({ terminal: good })),
        { hook },
      ),
      total,
      "go",
    );
    expect(attempt).toMatchObject({
      status: "rejected",
      attempts: [{ by: "guard", verdict: "denied" }, {}, {}],
    });
    expect(attempt.attempts[0]?.feedback).toMatch(/^Not in office hours\./);
  });

  // case 37
  it("hears of a bound of the host's own and closes, once", async () => {
    const seen: unknown[] = [];
    const runner = byHand(async ({ gate }) => {
      gate.offer();
      seen.push(gate.bounded("token_budget").kind, gate.offer());
      seen.push(gate.bounded("rounds"));
    });
    const attempt = await runOutput(runner, total.withTools(), "go");
    expect(seen).toMatchObject([
      "continue",
      { choice: { type: "tool" } },
      { kind: "end", status: "bounded" },
    ]);
    expect(attempt).toMatchObject({ status: "bounded", by: "token_budget" });
  });

  it("keeps the host's tools beside a native closing round where the model can have both", async () => {
    const offers: unknown[] = [];
    const drive = async ({ gate }: TurnRequest) => {
      gate.offer();
      gate.bounded("rounds");
      offers.push(gate.offer());
    };
    for (const native of ["with_tools", "alone"] as const) {
      await runOutput(
        byHand(drive, { ...scriptedRunner([]).capabilities, forced: "none", native }),
        total.withTools(),
        "go",
      );
    }
    expect(offers).toMatchObject([
      { rung: "native", tools: "all", choice: { type: "none" } },
      { rung: "native", tools: "none" },
    ]);
  });

  it("refuses a second call with the id of another in the same round", async () => {
    const runner = byHand(async ({ gate }) => {
      gate.offer();
      const { terminal, refused } = gate.admit([call(gate, bad, "same"), call(gate, good, "same")]);
      expect([terminal.length, refused.length]).toEqual([1, 1]);
      expect((await gate.settle(terminal[0]!)).kind).toBe("feedback");
    });
    await runOutput(runner, total, "go");
  });

  // O39
  it("says who the terminal tool is before the first round, for approvers and lanes", async () => {
    const spec = defineOutput({ name: "lane", description: "", schema: totalSchema });
    await runOutput(
      byHand(async ({ gate }) => {
        expect(gate.toolName).toMatch(/^basis_output_lane_/);
      }),
      spec,
      "go",
    );
  });
});
