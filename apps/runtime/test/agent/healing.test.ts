import { describe, expect, test } from "vitest";
import { probeTool } from "../harness/probe-tool.ts";
import { openTestHost, resultsOf, stateKinds, type TestHost } from "../harness/test-host.ts";

/** Leaves a session as a process does that dies in the middle of a round: calls without results, one of them begun. */
async function crash(host: TestHost): Promise<string> {
  const { store, ledger } = host.state;
  const { id: sessionId } = await store.createSession({ member: "main", role: "main" });
  const lease = await store.acquireLease(sessionId, { owner: "gone", ttlMs: 60_000 });
  const call = (toolCallId: string) =>
    ({ type: "tool-call", toolCallId, toolName: "probe", input: {} }) as const;
  const { ids, rev } = await store.append(sessionId, {
    lease,
    expectedRev: 0,
    runTurn: "run-gone",
    turnId: "run-gone",
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [call("begun"), call("waiting"), call("done")] },
    ],
  });
  const intent = {
    callKey: `${sessionId}:${ids[1]}:0`,
    sessionId,
    runId: "run-gone",
    toolCallId: "begun",
    toolName: "probe",
    level: "local_state",
    digest: "sha256:x",
    startedAt: 1,
  } as const;
  const output = { type: "text", value: "was done" } as const;
  await store.append(sessionId, {
    lease,
    expectedRev: rev,
    turnId: "run-gone",
    messages: [
      { role: "tool", content: [{ type: "tool-result", toolCallId: "done", toolName: "probe", output }] },
    ],
    join: (tx) => ledger.begin(tx, intent),
  });
  await store.releaseLease(lease);
  return sessionId;
}

const agents = { main: [{ text: "unused" }, { text: "after the crash" }] };

describe.each(stateKinds)("a session whose process died in a round, with the state in %s", (state) => {
  test("gets results that say what is known, runs nothing again, and goes on", async () => {
    const probe = probeTool("probe");
    const host = await openTestHost({ state, agents, tools: [probe] });
    const sessionId = await crash(host);
    const report = await host.run("what now?", { sessionId });
    expect(report).toMatchObject({ outcome: "completed", text: "after the crash" });
    expect(probe.ran).toEqual([]);
    expect(resultsOf(await host.transcript(sessionId))).toEqual({
      done: { type: "text", value: "was done" },
      begun: { type: "error-text", value: "interrupted: outcome unknown" },
      waiting: { type: "error-text", value: "interrupted: it was not started" },
    });
    expect(host.events.data("session_healed")).toEqual([
      {
        calls: [
          { tool_call_id: "begun", tool_name: "probe" },
          { tool_call_id: "waiting", tool_name: "probe" },
        ],
      },
    ]);
  });

  test("goes on without a prompt too, at the results that it was given", async () => {
    const host = await openTestHost({ state, agents, tools: [probeTool("probe")] });
    const sessionId = await crash(host);
    expect(await host.run(undefined, { sessionId })).toMatchObject({ outcome: "completed" });
    const roles = (await host.transcript(sessionId)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "tool", "tool", "assistant"]);
  });

  test("keeps its healed results when the turn after it is cancelled", async () => {
    const host: TestHost = await openTestHost({
      state,
      agents,
      tools: [probeTool("probe")],
      onRequest: () => prepared.cancel(),
    });
    const sessionId = await crash(host);
    const prepared = await host.runtime.prepare(host.facts, { sessionId });
    expect(await prepared.run("what now?")).toMatchObject({ outcome: "cancelled" });
    expect(Object.keys(resultsOf(await host.transcript(sessionId)))).toHaveLength(3);
  });
});

test("a session that is whole is not healed", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "one" }, { text: "two" }] } });
  const { sessionId } = (await host.run("go")).transcript!;
  await host.run("go", { sessionId });
  expect(host.events.data("session_healed")).toEqual([]);
});

test("a session that has come to its end is not asked to go on without a prompt", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "one" }, { text: "two" }] } });
  const { sessionId } = (await host.run("go")).transcript!;
  const report = await host.run(undefined, { sessionId });
  expect(report).toMatchObject({
    outcome: "failed",
    failure: { message: "the session waits for nothing: say what to do next" },
  });
  expect(host.models.requests).toHaveLength(1);
});
