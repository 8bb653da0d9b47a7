import type { RunReport, ToolCall } from "@basis/core";
import { describe, expect, it } from "vitest";
import {
  defineOutput,
  runOutput,
  type TerminalGate,
  type TurnRequest,
  type TurnRunner,
} from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { ask, bad, good, total, totalSchema, type Total } from "./support/asking.ts";

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
  it.each([{}, { naming: "stable" as const }])(
    "case 5: hands on words with odd characters as they are (%j)",
    async (more) => {
      const description = ' \tZeile 1\r\n\u2028"\\u00e9" e\u0301 \u{1f642}\u0000 <b>&amp;</b>  ';
      const schema = {
        type: "object",
        properties: { a: { type: "string", description } },
        description,
      } as const;
      const spec = defineOutput({ name: "odd", description, schema, ...more });
      const { runner } = await ask([{ terminal: "{}" }], { spec });
      const { terminal } = runner.requests[0]!.offer;
      expect(terminal).toMatchObject({ description, inputSchema: schema });
    },
  );

  it.each([total, total.withTools()])(
    "case 22: never forces a model that cannot be, to its last round",
    async (spec) => {
      const prose = Array.from({ length: 8 }, () => ({ text: "Three." }));
      const rounds = [{ terminal: bad }, ...prose];
      const choices = async (forced: "none" | "named") => {
        const { runner } = await ask(rounds, {
          spec,
          attempts: 3,
          host: { capabilities: { forced, native: "none" } },
        });
        expect(runner.requests.length).toBeGreaterThan(2);
        return runner.requests.map(({ offer }) => ["tool", "required"].includes(offer.choice.type));
      };
      expect(await choices("none")).not.toContain(true);
      expect(await choices("named")).toContain(true);
    },
  );

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
    const stable = defineOutput<Total>({ ...total, schema: totalSchema, naming: "stable" });
    const log: ToolCall[] = [];
    let asked = 0;
    const crashing = (crashes: boolean): TurnRunner =>
      hostOf(async ({ gate }) => {
        gate.offer();
        const stored = log.at(-1);
        if (stored === undefined) asked += 1;
        const { terminal } = gate.admit([stored ?? callOf(gate.toolName, good)]);
        log.push(...terminal);
        for (const call of terminal) expect((await gate.settle(call)).kind).toBe("accept");
        if (crashes) throw new Error("killed");
        gate.close();
      });
    expect(await runOutput(crashing(true), stable, "Go.")).toMatchObject({ status: "failed" });
    const again = await runOutput(crashing(false), stable, "Go.");
    expect(again).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect([asked, log.length]).toEqual([1, 2]);
    const elsewhere = await runOutput(crashing(false), total, "Go.");
    expect(elsewhere.status).toBe("missing");
  });

  it("case 43: has its tool to itself while another run of the same spec goes on at the same host", async () => {
    const gates: TerminalGate[] = [];
    let both: () => void = () => undefined;
    const met = new Promise<void>((resolve) => (both = resolve));
    const stolen: number[] = [];
    const runner = hostOf(async ({ gate, prompt }) => {
      gates.push(gate);
      if (gates.length === 2) both();
      await met;
      gate.offer();
      const other = gates.find((one) => one !== gate)!;
      const own = callOf(gate.toolName, `{"total":${prompt}}`, "own");
      const { terminal, siblings } = gate.admit([callOf(other.toolName, '{"total":9}', "stolen"), own]);
      for (const one of terminal) await gate.settle(one);
      stolen.push(terminal.length, siblings().refused.length);
      gate.close();
    });
    const attempts = await Promise.all(["1", "2"].map((prompt) => runOutput(runner, total, prompt)));
    expect(attempts).toMatchObject([{ value: { total: 1 } }, { value: { total: 2 } }]);
    expect(stolen).toEqual([1, 0, 1, 0]);
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

  it("gives out no sibling once it was cancelled", async () => {
    const siblings = async (cancel: boolean) => {
      const caller = new AbortController();
      const told: unknown[] = [];
      const runner = hostOf(async ({ gate }) => {
        gate.offer();
        const admission = gate.admit([callOf("read", "{}"), callOf("write", "{}", "d")]);
        if (cancel) caller.abort();
        const { run, refused } = admission.siblings();
        told.push(run.length, ...refused.map(({ result }) => result.output));
        gate.close();
      });
      await runOutput(runner, total.withTools(), "Go.", { signal: caller.signal });
      return told;
    };
    const ended = "not executed: the run has ended";
    expect(await siblings(false)).toEqual([2]);
    expect(await siblings(true)).toEqual([0, ended, ended]);
  });
});
