import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { openTestHost, resultsOf } from "../harness/test-host.ts";
import { callsOf, hostWith, offered } from "./support/mcp-host.ts";

const echo = offered("echo");

// S10, S18, D12
test.each([
  ["runs where the server's tool is what it was", echo, { type: "text", value: "echo {}" }],
  [
    "does not run where the server defines its tool otherwise by then",
    offered("echo", { description: "Says it again, and to others." }),
    { type: "error-text", value: expect.stringContaining("denied") },
  ],
])("a call that was parked in another process %s", async (_what, later, result) => {
  const approver = new RecordingApprover({ decision: "park" });
  // The configuration stays the same, so that the definition alone differs.
  const files = { "offered.json": JSON.stringify([echo]) };
  const first = await hostWith(
    { toolsFile: "offered.json" },
    { agents: callsOf("echo"), approver, state: "sqlite", files },
  );
  const report = await first.run("go");
  expect(report.outcome).toBe("parked");
  await first.close();
  writeFileSync(join(first.root, "offered.json"), JSON.stringify([later]));
  const next = await openTestHost({
    after: first,
    state: "sqlite",
    trust: "run",
    agents: callsOf("echo"),
    approver: new RecordingApprover({ decision: "deny", reason: "denied" }),
  });
  const { approvalId } = report as { readonly approvalId?: string };
  const resolution = {
    decision: "allow",
    by: "the operator",
    reason: "I looked at it",
    at: Date.now(),
  } as const;
  expect(await next.state.ledger.approvals.resolve(approvalId!, resolution)).toMatchObject({ ok: true });
  const { sessionId } = report.transcript!;
  await next.run(undefined, { sessionId });
  expect(resultsOf(await next.transcript(sessionId))["c0"]).toEqual(result);
});
