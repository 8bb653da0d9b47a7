import { expect, test } from "vitest";
import { scriptedInterceptor } from "@basis/hooks/testing";
import { bytesWith } from "../harness/kept-bytes.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, keptKind, openTestHost } from "../harness/test-host.ts";

const agents = { main: [calls({ name: "probe", input: { value: "x" }, id: "c1" }), { text: "done" }] };

test.each([
  ["keeps none that is known, and runs with it once it is answered", "CANARY-7f3a-9c1d", true],
  ["keeps what nobody said is one", "CANARY-51be-70aa", false],
])("a question about a call that a guard put a secret into %s", async (_what, value, isKnown) => {
  const probe = probeTool("probe", { run: () => ({ output: "ran", isError: false }) });
  const modify = { decision: "modify", input: { value } } as const;
  const keys = scriptedInterceptor("keys", [modify, modify], { events: ["pre_tool_use"] });
  const host = await openTestHost({
    agents,
    tools: [probe],
    interceptors: [keys],
    approver: new RecordingApprover({ decision: "park" }),
    state: keptKind,
    secrets: isKnown ? [value] : [],
  });
  const { sessionId } = (await host.run("go")).transcript!;
  const { approvals } = host.state.ledger;
  const [asked] = await approvals.list({ sessionId });
  const reason = `since ${value} is fine`;
  await approvals.resolve(asked!.approvalId, { decision: "allow", by: "x", reason, at: Date.now() });
  await host.run(undefined, { sessionId });
  expect(probe.ran).toEqual([{ value }]);
  expect((await bytesWith(host, value)).length > 0).toBe(!isKnown);
});
