import type { RunReport, ToolCall } from "@basis/core";
import { describe, expect, it } from "vitest";
import { runOutput, type TurnRequest, type TurnRunner } from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { ask, bad, good, total } from "./support/asking.ts";

const { capabilities } = scriptedRunner([]);
const report: RunReport = {
  runId: "r",
  outcome: "completed",
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
};
const hostOf = (run: (request: TurnRequest) => Promise<void>): TurnRunner => ({
  capabilities,
  run: async (request) => {
    await run(request);
    return report;
  },
});
const callOf = (toolName: string, input: string, toolCallId = "c"): ToolCall => ({
  toolCallId,
  toolName,
  input,
});

describe("a typed run", () => {
  it("case 28: asks for nothing that is a sampling parameter", async () => {
    const { runner } = await ask([{ terminal: bad }, { text: "no" }, { terminal: good }]);
    const allowed = ["kind", "round", "tools", "terminal", "choice", "format", "rung", "message"];
    for (const { offer } of runner.requests) {
      expect(Object.keys(offer).filter((key) => !allowed.includes(key))).toEqual([]);
    }
  });

  it("case 45: keeps its answer when the host throws its history away on the way", async () => {
    const runner = hostOf(async ({ gate }) => {
      for (const input of [bad, good]) {
        gate.offer();
        const { terminal } = gate.admit([callOf(gate.toolName, input, input)]);
        await gate.settle(terminal[0]!);
        gate.close();
        // whatever the host does with its rows now, the gate has not seen one of them
      }
    });
    expect(await runOutput(runner, total, "Go.")).toMatchObject({ status: "accepted", value: { total: 3 } });
  });

  it("case 58: counts from the start each time, on the same host and session too", async () => {
    const runner = scriptedRunner([
      { terminal: bad },
      { terminal: good },
      { terminal: bad },
      { terminal: good },
    ]);
    for (let run = 0; run < 2; run += 1) {
      const { attempts } = await runOutput(runner, total, "Go.");
      expect(attempts.map(({ number }) => number)).toEqual([1, 2]);
    }
  });

  it("case 66: leaves failed candidates but the last out of requests, on hosts that can", async () => {
    const rounds = ["a", "b", "c"].map((id) => ({ calls: [{ id, name: "$output", input: { total: id } }] }));
    const forgetting = async (forgets: boolean, history?: "minimal") => {
      const host = { capabilities: { forgets } };
      const { runner } = await ask([...rounds, { terminal: good }], {
        attempts: 4,
        host,
        ...(history && { history }),
      });
      return runner.requests.map(({ offer }) => offer.forget);
    };
    expect(await forgetting(true, "minimal")).toEqual([undefined, undefined, ["a"], ["a", "b"]]);
    expect(await forgetting(false, "minimal")).toEqual([undefined, undefined, undefined, undefined]);
    expect(await forgetting(true)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("case 99: takes a stored call from a host that resumes, without a request to the model", async () => {
    let requests = 0;
    const resumed = hostOf(async ({ gate }) => {
      const stored = callOf(gate.toolName, good);
      const offer = gate.offer();
      if (offer.kind === "end") return;
      const { terminal } = gate.admit([stored]);
      const settlement = await gate.settle(terminal[0]!);
      if (settlement.kind !== "accept") requests += 1;
      gate.close();
    });
    expect(await runOutput(resumed, total, "Go.")).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect(requests).toBe(0);
  });

  it("case 43: is not led off its course by another agent that calls its tool", async () => {
    const rungs: unknown[] = [];
    const runner = hostOf(async ({ gate }) => {
      for (const agentId of ["other", "own"]) {
        const offer = gate.offer();
        rungs.push(offer.kind === "round" && offer.rung);
        const { terminal, refused } = gate.admit([callOf(gate.toolName, good)], { agentId });
        for (const call of terminal) await gate.settle(call);
        rungs.push(refused.length);
        gate.close();
      }
    });
    const attempt = await runOutput(runner, total, "Go.", { agentId: "own" });
    expect(attempt).toMatchObject({ status: "accepted", plan: { degradations: [] } });
    expect(rungs).toEqual(["tool", 1, "tool", 0]);
  });

  it("case 50: that is cancelled while its siblings run takes the answer back that it held", async () => {
    const finish = async (cancel: boolean) => {
      const caller = new AbortController();
      const told: unknown[] = [];
      const runner = hostOf(async ({ gate }) => {
        gate.offer();
        const { terminal } = gate.admit([callOf(gate.toolName, good)]);
        expect(await gate.settle(terminal[0]!)).toEqual({ kind: "hold" });
        if (cancel) caller.abort();
        told.push(...gate.close([]).results.map(({ result }) => result.isError));
      });
      const { status } = await runOutput(runner, total, "Go.", { siblings: "veto", signal: caller.signal });
      return [status, ...told];
    };
    expect(await finish(false)).toEqual(["accepted", false]);
    expect(await finish(true)).toEqual(["cancelled", true]);
  });
});
