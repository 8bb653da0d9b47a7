import { createLadderMemory, defineOutput } from "@basis/typed-output";
import { describe, expect, test } from "vitest";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, stateKinds, type StateKind } from "../harness/test-host.ts";

const spec = defineOutput<{ readonly verdict: string }>({
  name: "verdict",
  description: "The verdict.",
  schema: { type: "object", properties: { verdict: { enum: ["good", "bad"] } }, required: ["verdict"] },
}).withTools();
const answer = (verdict: string) => calls({ name: "$output", input: { verdict } });
const ask = calls({ name: "probe", input: { value: "x" }, id: "asks" });

async function park(state: StateKind, rounds: readonly object[]) {
  const probe = probeTool("probe");
  const approver = new RecordingApprover({ decision: "park" });
  const host = await openTestHost({ state, agents: { main: rounds }, tools: [probe], approver });
  const options = { memory: createLadderMemory() };
  const first = await host.runtime.prepare(host.facts);
  const parked = await first.output(spec, "judge", options);
  const { sessionId } = first;
  const goOn = async () =>
    (await host.runtime.prepare(host.facts, { sessionId })).output(spec, undefined, options);
  return { host, probe, parked, goOn };
}

// D12
describe.each(stateKinds)("a typed turn that waits, with the state in %s", (state) => {
  test("goes on as a typed one, and ends with its checked value", async () => {
    const { host, probe, parked, goOn } = await park(state, [ask, answer("good")]);
    expect(parked).toMatchObject({ status: "parked", approvalId: expect.any(String) });
    expect(await goOn()).toMatchObject({ status: "parked" });
    const id = (parked as { approvalId: string }).approvalId;
    const resolution = { decision: "allow", by: "x", at: Date.now() } as const;
    expect(await host.state.ledger.approvals.resolve(id, resolution)).toMatchObject({ ok: true });
    expect(await goOn()).toMatchObject({ status: "accepted", value: { verdict: "good" } });
    expect(probe.ran).toEqual([{ value: "x" }]);
  });

  test("counts the answers that were judged before it waited", async () => {
    const rounds = [answer("a"), ask, answer("b"), answer("c"), answer("good")];
    const { host, parked, goOn } = await park(state, rounds);
    const id = (parked as { approvalId: string }).approvalId;
    await host.state.ledger.approvals.resolve(id, { decision: "deny", by: "x", at: Date.now() });
    expect(await goOn()).toMatchObject({ status: "mismatch", attempts: [{}, {}] });
  });
});
