import {
  createLadderMemory,
  defineOutput,
  type OutputAttempt,
  type OutputOptions,
} from "@basis/typed-output";
import { recordingInterceptor, scriptedInterceptor } from "@basis/hooks/testing";
import { describe, expect, test } from "vitest";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds, type TestHostOptions } from "../harness/test-host.ts";

interface Verdict {
  readonly verdict: string;
}

const spec = defineOutput<Verdict>({
  name: "verdict",
  description: "The verdict on the repository.",
  schema: {
    type: "object",
    properties: { verdict: { type: "string", enum: ["good", "bad"], description: "One of two words." } },
    required: ["verdict"],
    additionalProperties: false,
  },
});
const answer = (verdict: string) => ({ name: "$output", input: { verdict } });
const good = calls(answer("good"));

async function runTyped(
  rounds: readonly object[],
  options: TestHostOptions & { readonly working?: boolean; readonly output?: OutputOptions } = {},
) {
  const { working = false, output, ...rest } = options;
  const host = await openTestHost({ agents: { main: rounds }, ...rest });
  const run = await host.runtime.prepare(host.facts, { member: "main" });
  const attempt: OutputAttempt<Verdict> = await run.output(working ? spec.withTools() : spec, "judge", {
    memory: createLadderMemory(),
    ...output,
  });
  return { host, run, attempt, transcript: await host.transcript(run.sessionId) };
}

describe.each(stateKinds)("a typed turn, with the state in %s", (state) => {
  // O1, O4, O8, O42
  test("that only shapes offers one tool, forces it, and ends with the checked value in its transcript", async () => {
    const { host, attempt, transcript } = await runTyped([good], { state });
    expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "good" } });
    const [request] = host.models.requests;
    const [offered] = request!.tools;
    expect(request!.tools).toHaveLength(1);
    expect(request!.toolChoice).toEqual({ type: "tool", toolName: offered!.name });
    expect(offered!.inputSchema).toMatchObject({
      properties: { verdict: { description: "One of two words." } },
    });
    expect(transcript.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(Object.values(resultsOf(transcript))).toEqual([{ type: "text", value: "accepted" }]);
  });

  // O2
  test("that works offers the whole toolset and the terminal tool last, with a free choice", async () => {
    const { host, attempt } = await runTyped([calls({ name: "look", input: {} }), good], {
      state,
      working: true,
      tools: [readProbe("look")],
    });
    expect(attempt.status).toBe("accepted");
    const [first] = host.models.requests;
    expect(first!.toolChoice).toEqual({ type: "auto" });
    expect(first!.tools.map(({ name }) => name).slice(0, -1)).toEqual([
      "list",
      "look",
      "read",
      "search",
      "spawn",
      "write",
    ]);
    expect(first!.tools.at(-1)!.name).toMatch(/^basis_output_verdict_/);
  });

  // O12, O20, O26
  test("feeds a wrong answer back, and the next answer is taken", async () => {
    const { host, attempt, transcript } = await runTyped([calls(answer("so-so")), good], { state });
    expect(attempt).toMatchObject({
      status: "accepted",
      attempts: [{ verdict: "mismatch" }, { verdict: "accepted" }],
    });
    const [rejected, accepted] = Object.values(resultsOf(transcript)) as { type: string; value: string }[];
    expect(rejected).toMatchObject({ type: "error-text", value: expect.stringContaining("/verdict") });
    expect(accepted!.value).toBe("accepted");
    expect(host.events.data("output_rejected")).toMatchObject([
      { attempt: 1, verdict: "mismatch", last: false },
    ]);
    expect(host.events.data("output_accepted")).toMatchObject([
      { attempt: 2, candidate: { verdict: "good" } },
    ]);
  });
});

// O12
test("arguments that are not JSON get feedback and another round", async () => {
  const { attempt, transcript } = await runTyped([{ terminal: "verdict: good" }, good]);
  expect(attempt.status).toBe("accepted");
  expect(Object.values(resultsOf(transcript))[0]).toMatchObject({ type: "error-text" });
});

// O9
test("calls before the accepted answer run, those behind it do not, and each has one result", async () => {
  const probe = probeTool("probe");
  const round = calls({ name: "probe", input: { value: "before" }, id: "b" }, answer("good"), {
    name: "probe",
    input: { value: "after" },
    id: "a",
  });
  const { run, attempt, transcript, host } = await runTyped([round], { working: true, tools: [probe] });
  expect(attempt.status).toBe("accepted");
  expect(probe.ran).toEqual([{ value: "before" }]);
  const terminal = host.models.requests[0]!.tools.at(-1)!.name;
  expect(resultsOf(transcript)["a"]).toEqual({
    type: "error-text",
    value: `not executed: run terminated by '${terminal}'`,
  });
  expect(await host.state.ledger.intentsOf(run.sessionId)).toHaveLength(1);
});

// O10
test("of two answers in one round the first that is accepted stands", async () => {
  const { attempt, host } = await runTyped([calls(answer("good"), { ...answer("bad"), id: "second" })]);
  expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "good" } });
  expect(host.events.data("output_attempted")).toHaveLength(1);
});

// O11, H91
describe("the terminal call", () => {
  test("passes the chain and is never asked of the approver", async () => {
    const guard = recordingInterceptor("guard");
    const { host, attempt } = await runTyped([good], { interceptors: [guard] });
    expect(attempt.status).toBe("accepted");
    expect(host.approver.asked).toEqual([]);
    expect(guard.asked.map(({ method, request }) => [method, request.effect])).toEqual([
      ["intercept", "answer"],
      ["review", "answer"],
    ]);
  });

  // D16
  test("that a hook rewrites is checked as rewritten, and what breaks the schema names the hook", async () => {
    const guard = scriptedInterceptor(
      "guard",
      [
        { decision: "modify", input: { verdict: "so-so" } },
        { decision: "modify", input: { verdict: "bad" } },
      ],
      { events: ["pre_tool_use"] },
    );
    const { attempt, transcript } = await runTyped([good, good], { interceptors: [guard] });
    expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "bad" } });
    expect((Object.values(resultsOf(transcript))[0] as { value: string }).value).toMatch(
      /^The answer was rewritten by interceptor 'guard' before it was checked\.\n/,
    );
  });

  test("that a hook denies is fed back and counts as an attempt", async () => {
    const guard = scriptedInterceptor(
      "guard",
      [{ decision: "deny", reason: "look first" }, { decision: "allow" }],
      { events: ["pre_tool_use"] },
    );
    const { attempt, transcript } = await runTyped([good, good], { interceptors: [guard] });
    expect(attempt).toMatchObject({ status: "accepted", attempts: [{ verdict: "denied" }, {}] });
    expect((Object.values(resultsOf(transcript))[0] as { value: string }).value).toContain("look first");
  });

  test("shows in the transcript what a hook makes of its result, and keeps its value", async () => {
    const guard = {
      name: "guard",
      intercept: () => ({ decision: "allow" }) as const,
      review: () => ({ decision: "replace", output: "noted", isError: false }) as const,
    };
    const { attempt, transcript } = await runTyped([good], { interceptors: [guard] });
    expect(attempt).toMatchObject({ status: "accepted", value: { verdict: "good" } });
    expect(Object.values(resultsOf(transcript))).toEqual([{ type: "text", value: "noted" }]);
  });
});

// O17
test("a tool that was not offered in a shaping turn is not run when it is called", async () => {
  const probe = probeTool("probe");
  const { attempt, transcript } = await runTyped([calls({ name: "probe", input: {}, id: "x" }), good], {
    tools: [probe],
    approver: new RecordingApprover(),
  });
  expect(probe.ran).toEqual([]);
  expect(attempt.status).not.toBe("failed");
  expect(resultsOf(transcript)["x"]).toMatchObject({
    type: "error-text",
    value: expect.stringContaining("is not available now"),
  });
});
