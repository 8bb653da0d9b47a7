import fc from "fast-check";
import { parseStrict, type JsonValue } from "@basis/core";
import { approvalDigest } from "@basis/approval";
import { describe, expect, test } from "vitest";
import { recordingInterceptor } from "@basis/hooks/testing";
import { queueCalls } from "../../src/agent/calls/queued-call.ts";
import { storable } from "../../src/agent/transcript/storable.ts";
import { callsOf } from "../../src/agent/transcript/tool-message.ts";
import { toolIdentity } from "../../src/agent/calls/authorize-call.ts";
import { ModelError } from "../../src/providers/model-error.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, resultsOf, stateKinds } from "../harness/test-host.ts";

async function runWith(input: JsonValue) {
  const probe = probeTool("probe");
  const guard = recordingInterceptor("guard");
  const host = await openTestHost({
    agents: { main: [calls({ name: "probe", input, id: "c1" }), { text: "done" }] },
    tools: [probe],
    interceptors: [guard],
    approver: new RecordingApprover(),
  });
  const report = await host.run("go");
  const result = resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
  return { host, probe, guard, result };
}

// S7
describe("what a guard saw is what runs", () => {
  test("a default of the schema is not filled in", async () => {
    const { probe } = await runWith({});
    expect(probe.ran).toEqual([{}]);
  });

  test.each([
    ["a number where a text is asked for", { value: 7 }],
    ["a text that reads as a number", { count: "7" }],
    ["an undeclared key", { value: "x", more: true }],
    ["null for an object", null],
  ])("%s is refused and never coerced", async (_what, input) => {
    const { host, probe, result } = await runWith(input);
    expect(probe.ran).toEqual([]);
    expect(host.approver.asked).toEqual([]);
    expect(result.value).toMatch(/^Invalid input for 'probe'/);
  });

  test.each([
    ["cut off", '{"value":"x'],
    ["holding a key twice", '{"value":"x","value":"y"}'],
    ["followed by another document", '{"value":"x"}{}'],
    ["a document inside a text", JSON.stringify('{"value":"x"}')],
  ])("arguments that are %s are not repaired", async (_what, text) => {
    const { host, probe, guard, result } = await runWith(text);
    expect(probe.ran).toEqual([]);
    expect(result.value).toMatch(/^Invalid input for 'probe'/);
    const expected = text.startsWith('"') ? (JSON.parse(text) as string) : text;
    expect(guard.asked.map(({ request }) => request.input)).toEqual([expected]);
    expect(host.events.data("tool_queued").map(({ input }) => input)).toEqual([expected]);
  });

  test("the digest that was approved is the digest of what the tool got", async () => {
    const { host, probe } = await runWith({ value: "x", count: 1 });
    const [asked] = host.approver.asked;
    const [started] = host.events.data("tool_started");
    expect(started!.digest).toBe(asked!.digest);
    const digest = approvalDigest({
      callKey: asked!.callKey,
      agent: asked!.agentId,
      toolName: "probe",
      input: probe.ran[0]!,
      cwd: host.root,
      toolIdentity: toolIdentity(probe),
    });
    expect(digest).toBe(started!.digest);
  });
});

test("the text of stored arguments reads back as what was stored, or stays text where it is no strict JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const input = storable(value as JsonValue);
      const [stored] = callsOf({
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input }],
      });
      const text = JSON.stringify(input);
      const parsed = parseStrict(text);
      expect(queueCalls("s", "row", [stored!])[0]!.input).toEqual(parsed.ok ? parsed.value : text);
    }),
  );
});

// S17
describe.each(stateKinds)("a provider that repeats its call ids, with the state in %s", (state) => {
  test("gets each call its own key, intent and result", async () => {
    const probe = probeTool("probe");
    const same = (value: string) => ({ name: "probe", input: { value }, id: "call_0" });
    const host = await openTestHost({
      state,
      agents: { main: [calls(same("1"), same("2")), calls(same("3")), { text: "done" }] },
      tools: [probe],
    });
    const report = await host.run("go");
    expect(report.outcome).toBe("completed");
    expect(probe.ran).toEqual([{ value: "1" }, { value: "2" }, { value: "3" }]);
    const { sessionId } = report.transcript!;
    expect(Object.keys(resultsOf(await host.transcript(sessionId)))).toHaveLength(3);
    const intents = await host.state.ledger.intentsOf(sessionId);
    expect(new Set(intents.map(({ callKey }) => callKey)).size).toBe(3);
    expect(new Set(host.approver.asked.map(({ callKey }) => callKey)).size).toBe(3);
  });

  test("gets a key for a call after a rollback that none before it had", async () => {
    const probe = probeTool("probe");
    const again = calls({ name: "probe", input: { value: "x" }, id: "call_0" });
    const host = await openTestHost({
      state,
      agents: { main: [again, again, { text: "done" }] },
      tools: [probe],
      onRequest: (_request, number) => {
        if (number === 2) prepared.cancel();
      },
    });
    const prepared = await host.runtime.prepare(host.facts);
    expect(await prepared.run("first")).toMatchObject({ outcome: "cancelled" });
    const { sessionId } = prepared;
    const second = await host.run("second", { sessionId });
    expect(second.outcome).toBe("completed");
    const intents = await host.state.ledger.intentsOf(sessionId);
    expect(new Set(intents.map(({ callKey }) => callKey)).size).toBe(intents.length);
    expect(intents.length).toBe(probe.ran.length);
  });
});

// S15
test("a tool that the provider ran itself fails the turn, and no row of it is kept", async () => {
  const host = await openTestHost({
    model: {
      ref: { provider: "scripted", id: "main" },
      capabilities: { forcedChoice: "named", nativeSchema: false },
      async *round() {
        yield { type: "text", delta: "Searching." };
        throw new ModelError("provider_executed_tool", 'the provider ran "web_search" itself', {
          details: { toolName: "web_search" },
        });
      },
    },
  });
  const report = await host.run("go");
  expect(report).toMatchObject({ outcome: "failed", failure: { code: "provider_executed_tool" } });
  expect(await host.transcript(report.transcript!.sessionId)).toEqual([{ role: "user", content: "go" }]);
  expect(host.events.data("error")).toMatchObject([{ code: "provider_executed_tool" }]);
});
