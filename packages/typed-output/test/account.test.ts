import { emptyUsage, type JsonObject, type RunReport } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLadderMemory,
  runOutput,
  type OutputOptions,
  type OutputStatus,
  type TurnRunner,
} from "../src/index.ts";
import { scriptedRunner, type ScriptedOptions, type ScriptedRound } from "../src/testing/index.ts";
import { ask, bad, good, resultsPerCall, total } from "./support/asking.ts";

/** A script's rounds, each of which costs another power of two. */
const priced = (rounds: readonly ScriptedRound[]): ScriptedRound[] =>
  rounds.map((round, at) => ({ ...round, usage: { outputTokens: 2 ** at } }));

const controller = new AbortController();
const clock = manualClock();
const reads = { calls: [{ name: "read", input: {} }] };
const tools = { read: () => "seen" };
const working = { spec: total.withTools() };

interface Ending {
  readonly rounds: readonly ScriptedRound[];
  readonly options?: Parameters<typeof ask<{ total: number }>>[1];
  /** What the rounds up to the last judged candidate cost. */
  readonly ofCandidates: number;
  /** Rounds that were paid for: all, unless it says otherwise. */
  readonly paid?: number;
}

const refusal = { error: { status: 400, message: "tools.0.input_schema: unsupported keyword" } };
const endings: Record<OutputStatus, Ending> = {
  accepted: {
    ofCandidates: 15,
    rounds: [reads, { text: "Done." }, { terminal: bad }, { terminal: good }],
    options: { ...working, host: { tools } },
  },
  mismatch: { ofCandidates: 3, rounds: [{ terminal: bad }, { terminal: "{}" }], options: { attempts: 2 } },
  rejected: {
    ofCandidates: 3,
    rounds: [{ terminal: good }, { terminal: good }],
    options: { attempts: 2, validate: () => ({ decision: "reject", message: "no" }) },
  },
  missing: {
    ofCandidates: 0,
    rounds: [reads, { text: "Done." }, { text: "Really." }, { text: "No." }],
    options: { ...working, host: { tools } },
  },
  truncated: { ofCandidates: 3, rounds: [{ terminal: bad }, { terminal: '{"tot', finish: "length" }] },
  refused: { ofCandidates: 1, rounds: [{ terminal: bad }, { text: "I cannot.", finish: "refusal" }] },
  bounded: {
    ofCandidates: 0,
    rounds: [reads, { text: "Hm." }],
    options: { ...working, host: { tools }, bounds: { rounds: 2 } },
  },
  unsupported: {
    ofCandidates: 1,
    rounds: [{ terminal: bad }, refusal],
    options: { strategy: "tool" },
    paid: 1,
  },
  parked: {
    ofCandidates: 1,
    rounds: [{ terminal: bad }, reads],
    options: { ...working, host: { tools, parks: { read: "approval-1" } } },
  },
  cancelled: {
    ofCandidates: 1,
    rounds: [{ terminal: bad }, { terminal: good, before: () => controller.abort() }],
    options: { signal: controller.signal },
    paid: 1,
  },
  failed: {
    ofCandidates: 1,
    rounds: [{ terminal: bad }, { error: { status: 500, message: "down" } }],
    paid: 1,
  },
};

// case 67
it.each(Object.entries(endings))(
  "a run that is %s reports all its rounds, and each candidate those since the one before",
  async (status, { rounds, options, ofCandidates, paid = rounds.length }) => {
    const { attempt, runner } = await ask(priced(rounds), options);
    expect([attempt.status, runner.left]).toEqual([status, 0]);
    expect(attempt.report?.usage).toEqual({ ...emptyUsage, outputTokens: 2 ** paid - 1 });
    const judged = attempt.attempts.reduce((sum, { usage }) => sum + usage.outputTokens, 0);
    expect(judged).toBe(ofCandidates);
  },
);

describe("every call has exactly one result", () => {
  const call = fc.record({
    id: fc.uuid(),
    name: fc.constantFrom("read", "fails", "unknown", "$output"),
    input: fc.constantFrom<JsonObject | string>({ total: 1 }, { total: "x" }, "{"),
  });
  const round: fc.Arbitrary<ScriptedRound> = fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  });
  const fails = () => {
    throw new Error("no such file");
  };

  // case 47
  it("where budgets run out, hooks deny, and another agent calls", async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 1, maxLength: 4 }),
        fc.record<OutputOptions>({
          siblings: fc.constantFrom("skip", "run", "veto"),
          bounds: fc.constantFrom({ toolBudget: 1 }, { rounds: 2 }, { toolBudget: 2, rounds: 3 }),
          attempts: fc.integer({ min: 1, max: 3 }),
        }),
        fc.constantFrom<ScriptedOptions>(
          {},
          {
            hook: (input) => (input.includes("x") ? { denied: { by: "guard", message: "No." } } : undefined),
          },
          { agentId: "child" },
          { pieces: 3 },
        ),
        async (rounds, options, odd) => {
          const host = { ...odd, tools: { ...tools, fails } };
          const { runner } = await ask(rounds, { ...working, ...options, agentId: "main", host });
          const counts = [...resultsPerCall(runner).values()];
          seen += counts.length;
          expect(counts.filter((count) => count !== 1)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
    expect(seen).toBeGreaterThan(300);
  });
});

describe("whatever throws", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const broken = <Answer>(fine: () => Answer) =>
    fc.constantFrom<() => Answer | Promise<never>>(fine, boom, () => Promise.reject(new Error("later")));
  const accept = () => ({ decision: "accept" as const, value: { total: 3 } });

  // case 69
  it("a run answers with one of the eleven statuses, and is not accepted past its own validator", async () => {
    const statuses = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        broken(() => undefined),
        broken(() => undefined),
        broken(accept),
        fc.constantFrom("before", "within", "after", "never"),
        async (atHost, atSink, validate, when) => {
          const { capabilities, run } = scriptedRunner([{ terminal: bad }, { terminal: good }]);
          const runner: TurnRunner = {
            capabilities,
            run: async (request) => {
              if (when === "before") await atHost();
              if (when === "within") request.gate.offer();
              if (when === "within") await atHost();
              const report: RunReport = await run(request);
              if (when === "after") await atHost();
              return report;
            },
          };
          const options = { memory: createLadderMemory(), clock, validate, onAttempt: atSink };
          const { status, report } = await runOutput(runner, total, "Go.", options);
          statuses.add(status);
          expect(Object.keys(endings)).toContain(status);
          expect(status === "accepted" && validate !== accept).toBe(false);
          expect(report !== undefined || when === "before").toBe(true);
        },
      ),
      { numRuns: 200 },
    );
    expect([...statuses].toSorted()).toEqual(["accepted", "failed"]);
  });
});
