import { expect, test } from "vitest";
import { redactSession } from "../../src/redaction/redact-session.ts";
import { textOutcome } from "../../src/tools/tool.ts";
import { bytesWith } from "../harness/kept-bytes.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, keptKind, resultsOf, type TestHost, type TestHostOptions } from "../harness/test-host.ts";
import { agents, nothingLeft, now, openProbing, plan, redact, SECRET, signal } from "./redacting.ts";

const open = (options: TestHostOptions = {}): Promise<TestHost> =>
  openProbing({ state: keptKind, ...options });

// The words of a format are in every stored message and event, and stay in all of them.
test.each([
  [["user", "content", "text", "assistant", "message_id", "user_message"], 0],
  [["harmless"], 1],
  [["harmless", "user", "probe"], 2],
  [[SECRET, "assistant"], 3],
])("the plan for %j tells what the redaction then does", async (texts, messages) => {
  const host = await open({ agents });
  const { sessionId } = (await host.run("a harmless prompt")).transcript!;
  const planned = await plan(host, sessionId, { texts });
  const done = await redactSession(host.state, planned, { now, signal });
  expect([planned.messages.length, done.messages]).toEqual([messages, messages]);
  expect(done).toMatchObject({ events: planned.events.changed, ledger: planned.ledger });
  expect(planned.events.changed > 0).toBe(messages > 0);
  const { messages: left, events } = done.notReached;
  expect({ messages: left, events }).toEqual(planned.named);
  expect(planned.named.messages).toBe(texts.includes("probe") ? 2 : 0);
});

test("S32: a long result goes with the whole of it, also where what was shown lacks the text", async () => {
  const long = `${"x".repeat(50_000)} ${SECRET} ${"x".repeat(50_000)}`;
  const tools = [probeTool("probe", { run: () => textOutcome(long) })];
  const host = await open({
    agents: { main: [calls({ name: "probe", input: {}, id: "c1" }), { text: "done" }] },
    tools,
  });
  const { sessionId } = (await host.run("go")).transcript!;
  expect(await redact(host, sessionId)).toMatchObject({ messages: 1, blobs: 2, notReached: nothingLeft });
  expect(resultsOf(await host.transcript(sessionId))).toMatchObject({ c1: { value: "[redacted]" } });
  expect(await bytesWith(host)).toEqual([]);
});
