import {
  createLadderMemory,
  defineOutput,
  reserve,
  type OutputAttempt,
  type OutputOptions,
} from "@basis/typed-output";
import { describe, expect, test } from "vitest";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, type TestHost, type TestHostOptions } from "../harness/test-host.ts";
import { expectTold } from "../harness/told-output.ts";

interface Verdict {
  readonly verdict: string;
}

const spec = defineOutput<Verdict>({
  name: "verdict",
  description: "The verdict.",
  schema: {
    type: "object",
    properties: { verdict: { enum: ["good", "bad"], description: "One of two words." } },
    required: ["verdict"],
  },
});
const answer = (verdict: string) => calls({ name: "$output", input: { verdict } });
const used = { usage: { inputTokens: 60, outputTokens: 40 } };

interface Typed extends TestHostOptions {
  readonly output?: OutputOptions;
  readonly bounds?: object;
  readonly shaping?: boolean;
}

async function runTyped(rounds: readonly object[], { output, bounds, shaping, ...options }: Typed = {}) {
  const host = await openTestHost({ agents: { main: rounds }, ...options });
  const run = await host.runtime.prepare(host.facts, { member: "main", bounds });
  const attempt: OutputAttempt<Verdict> = await run.output(shaping ? spec : spec.withTools(), "judge", {
    memory: createLadderMemory(),
    ...output,
  });
  await expectTold(host, attempt);
  return { host, run, attempt };
}

const finished = (host: TestHost) => host.events.data("run_finished").at(-1)!;

// O18, O36
test("a working turn that ends in prose is reminded, then forced, then missing with its report", async () => {
  const { host, attempt } = await runTyped([{ text: "I think" }, { text: "it is" }, { text: "fine" }]);
  expect(attempt).toMatchObject({
    status: "missing",
    ended: "prose",
    text: "fine",
    report: { outcome: "stopped" },
  });
  const choices = host.models.requests.map(({ toolChoice }) => toolChoice.type);
  expect(choices).toEqual(["auto", "auto", "tool"]);
  // O37: a turn without an answer is not a completed one; its usage counts.
  expect(finished(host)).toMatchObject({ status: "stopped", stopped_by: "output" });
});

test("a turn that was accepted is a completed one", async () => {
  const { host, attempt } = await runTyped([answer("good")]);
  expect(attempt.status).toBe("accepted");
  expect(finished(host).status).toBe("completed");
});

// O19
test("a turn that says nothing is missing as empty", async () => {
  const { attempt } = await runTyped([{ text: "" }], { output: { closing: "none" } });
  expect(attempt).toMatchObject({ status: "missing", ended: "empty" });
});

// O20, O26
test("answers that never fit end as a mismatch, with one attempt each", async () => {
  const { host, attempt } = await runTyped([answer("a"), answer("b"), answer("c")]);
  expect(attempt).toMatchObject({ status: "mismatch", at: "schema", attempts: [{}, {}, {}] });
  expect(host.events.data("output_rejected").map(({ last }) => last)).toEqual([false, false, true]);
  expect(finished(host)).toMatchObject({ status: "stopped", stopped_by: "output" });
});

// O21
describe("each bound is told apart", () => {
  const looks = Array.from({ length: 9 }, () => ({ ...calls({ name: "look", input: {} }), ...used }));

  test.each([
    ["token_budget", { tokenBudget: 250 }],
    ["tool_budget", { toolBudget: 2 }],
    ["rounds", { maxRounds: 3 }],
  ] as const)("%s", async (by, bounds) => {
    const { host, attempt } = await runTyped(looks, {
      bounds,
      tools: [readProbe("look")],
      output: { closing: "none" },
    });
    expect(attempt).toMatchObject({ status: "bounded", by, report: { outcome: "stopped", stoppedBy: by } });
    expect(finished(host)).toMatchObject({ status: "stopped", stopped_by: by });
  });

  test("and a working turn closes with its answer out of what was kept for it", async () => {
    const closing = [looks[0]!, looks[1]!, looks[2]!, answer("good")];
    const { attempt } = await runTyped(closing, { bounds: { toolBudget: 2 }, tools: [readProbe("look")] });
    expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "good" } });
  });
});

// O22
test("what is refused before a turn exists asks no provider and leaves no event", async () => {
  const { host, run } = await runTyped([answer("good"), answer("good")]);
  const before = host.models.requests.length;
  expect(await run.output(spec, "   ")).toMatchObject({ status: "failed", error: { code: "empty_prompt" } });
  const reservation = reserve(spec);
  const again = await host.runtime.prepare(host.facts);
  expect(await again.output(reservation as never, "judge")).toMatchObject({ status: "accepted" });
  expect(await again.output(reservation as never, "judge")).toMatchObject({ status: "failed" });
  expect(host.models.requests.length).toBe(before + 1);
});

// O26–O30
test("the host's own check rejects and normalises, and its usage is that of all rounds", async () => {
  const { attempt, host } = await runTyped(
    [
      { ...answer("good"), ...used },
      { ...answer("bad"), ...used },
    ],
    {
      output: {
        validate: (value) =>
          (value as unknown as Verdict).verdict === "good"
            ? { decision: "reject", message: "too kind" }
            : { decision: "accept", value: { verdict: "BAD" } },
      },
    },
  );
  expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "BAD" }, normalized: true });
  expect(attempt.report!.usage).toMatchObject({ inputTokens: 120, outputTokens: 80 });
  expect(host.events.data("output_rejected")).toMatchObject([
    { verdict: "rejected", feedback: expect.stringMatching(/^too kind/) },
  ]);
});

// O31
test("a check that throws is the host's failure, never an acceptance, and never shown to the model", async () => {
  const { attempt, host } = await runTyped([answer("good")], {
    output: {
      validate: () => {
        throw new Error("secret of the host");
      },
    },
  });
  expect(attempt).toMatchObject({ status: "failed", error: { message: "secret of the host" } });
  expect(JSON.stringify(await host.transcript(attempt.report!.transcript!.sessionId))).not.toContain(
    "secret",
  );
  expect(finished(host).status).not.toBe("completed");
});

// O13, O14
test("the next turn has its own tools and choice back, however the typed one ended", async () => {
  const { host, run } = await runTyped([{ text: "no" }, { text: "plain" }], {
    shaping: true,
    output: { closing: "none", strategy: "tool" },
  });
  const report = await host.run("now in words", { sessionId: run.sessionId });
  expect(report).toMatchObject({ outcome: "completed", text: "plain" });
  const last = host.models.requests.at(-1)!;
  expect(last.toolChoice).toEqual({ type: "auto" });
  expect(last.tools.map(({ name }) => name)).toEqual(["list", "read", "search", "spawn", "write"]);
});

// O15, O16
test("a child that calls its parent's terminal tool gets an error, and its answer does not count", async () => {
  const { host, attempt } = await runTyped([], {
    agents: {
      main: [calls({ name: "spawn", input: { input: "judge" } }), answer("bad")],
      child: [calls({ name: "basis_output_verdict_x", input: { verdict: "good" } }), { text: "tried" }],
    },
  });
  expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "bad" } });
  expect(JSON.stringify(host.models.of("child")[1]!.messages)).toContain("there is no tool");
});

// O40
test("a typed turn that is cancelled is rolled back", async () => {
  const host: TestHost = await openTestHost({
    agents: { main: [calls({ name: "look", input: {} }), answer("good")] },
    tools: [readProbe("look")],
    onRequest: (_request, number) => {
      if (number === 2) run.cancel();
    },
  });
  const run = await host.runtime.prepare(host.facts);
  expect(await run.output(spec.withTools(), "judge")).toMatchObject({ status: "cancelled" });
  expect(await host.transcript(run.sessionId)).toEqual([]);
});

test("the caller's own signal and the run's stop both reach a typed turn", async () => {
  const controller = new AbortController();
  const host: TestHost = await openTestHost({
    agents: { main: [answer("good")] },
    onRequest: (_request, number) => (number === 1 ? controller.abort() : second.stop()),
  });
  const { signal } = controller;
  const first = await host.runtime.prepare(host.facts);
  expect(await first.output(spec, "judge", { signal })).toMatchObject({ status: "cancelled" });
  const second = await host.runtime.prepare(host.facts);
  const other = new AbortController().signal;
  expect(await second.output(spec, "judge", { signal: other })).toMatchObject({
    status: "missing",
    ended: "stop",
  });
});

test("a typed turn whose sibling waits for an approval is parked with its id", async () => {
  const { attempt, run, host } = await runTyped([calls({ name: "probe", input: {} }), answer("good")], {
    tools: [probeTool("probe")],
    approver: new RecordingApprover({ decision: "park" }),
  });
  expect(attempt).toMatchObject({ status: "parked", approvalId: expect.any(String) });
  expect(await host.state.store.head(run.sessionId)).toMatchObject({ pendingApprovals: 1 });
});

// O41
test("twenty typed runs at once on one host each get their own answer", async () => {
  const host = await openTestHost({ agents: { main: [answer("good")] } });
  const attempts = await Promise.all(
    Array.from({ length: 20 }, async () => (await host.runtime.prepare(host.facts)).output(spec, "judge")),
  );
  expect(attempts.every(({ status }) => status === "accepted")).toBe(true);
  expect(new Set(attempts.map(({ plan }) => plan.toolName)).size).toBe(20);
});
