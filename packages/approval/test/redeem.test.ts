import { describe, expect, it } from "vitest";
import {
  approvalDigest,
  memoryApprovalStore,
  type ApprovalEvidence,
  type ApprovalGate,
  type ApprovalStore,
} from "../src/index.ts";
import { allow, deny, gateWith, writeCall } from "./fixtures.ts";

const evidence: ApprovalEvidence = {
  callKey: "session-1/4/0",
  agent: "main",
  toolName: "write",
  input: { path: "src/a.ts", text: "x" },
  preview: { path: "src/a.ts" },
  cwd: "/repo",
  binding: "sha256:plan",
  toolIdentity: "sha256:tool",
  evidence: { "file:build.sh": "sha256:script" },
};
const request = { ...writeCall, ...evidence } as const;
const callKey = evidence.callKey;

async function allowed(gate: ApprovalGate): Promise<string> {
  const outcome = await gate.authorize(request);
  if (outcome.decision !== "allow") throw new Error(`expected an allow, found ${outcome.decision}`);
  return outcome.digest;
}
const stale = (cause: string) =>
  expect.objectContaining({ code: "stale_approval", details: { callKey, cause } });

describe("redeem", () => {
  it("lets the allowed call through once", async () => {
    const { gate } = gateWith(allow);
    const digest = await allowed(gate);
    expect(digest).toBe(approvalDigest(evidence));
    await gate.redeem({ callKey, digest });
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("redeemed"));
  });

  // S10
  it.each<[string, Partial<ApprovalEvidence>]>([
    ["call", { callKey: "session-1/4/1" }],
    ["agent", { agent: "other" }],
    ["tool", { toolName: "write2" }],
    ["input", { input: { path: "src/a.ts", text: "y" } }],
    ["preview", { preview: { path: "src/b.ts" } }],
    ["preview that is gone", { preview: undefined }],
    ["directory", { cwd: "/repo2" }],
    ["plan", { binding: "sha256:plan2" }],
    ["tool behind the name", { toolIdentity: "sha256:tool2" }],
    ["named file's content", { evidence: { "file:build.sh": "sha256:script2" } }],
    ["set of named files", { evidence: {} }],
  ])("refuses another %s", async (_, change) => {
    const { gate } = gateWith(allow);
    const digest = await allowed(gate);
    await expect(
      gate.redeem({ callKey, digest: approvalDigest({ ...evidence, ...change }) }),
    ).rejects.toThrow(stale("changed"));
    await gate.redeem({ callKey, digest });
  });

  it("refuses from the moment of expiry on", async () => {
    const { gate, clock } = gateWith(allow, { grantTtlMs: 1000 });
    const digest = await allowed(gate);
    clock.advance(1000);
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("expired"));
    const again = await allowed(gate);
    clock.advance(999);
    await gate.redeem({ callKey, digest: again });
  });

  it("refuses what was never allowed, and what a later judgement took back", async () => {
    const { gate } = gateWith([allow, deny]);
    await expect(gate.redeem({ callKey, digest: "sha256:none" })).rejects.toThrow(stale("unknown"));
    const digest = await allowed(gate);
    await gate.authorize(request);
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("unknown"));
  });

  it("forgets old allows, so that a gate that lives long does not grow", async () => {
    const { gate, clock } = gateWith(allow, { grantTtlMs: 1000 });
    const digest = await allowed(gate);
    await gate.redeem({ callKey, digest });
    clock.advance(2000);
    await gate.authorize({ ...request, callKey: "later" });
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("unknown"));
  });
});

// S28
describe("redeeming inside the host's own transaction", () => {
  const parkedAndAllowed = async () => {
    const store = memoryApprovalStore();
    const { gate, clock } = gateWith({ decision: "park" }, { store });
    const outcome = await gate.authorize(request);
    if (outcome.decision !== "parked") throw new Error("not parked");
    store.resolve(outcome.approvalId, { decision: "allow", by: "operator", at: clock.now() });
    return { store, gate, digest: outcome.digest };
  };

  it("goes through the view it is given, synchronously or not", async () => {
    const { store, gate, digest } = await parkedAndAllowed();
    const steps: string[] = [];
    const view = {
      redeem: (redemption: Parameters<typeof store.redeem>[0]) => {
        steps.push("redeem");
        return store.redeem(redemption);
      },
    };
    gate.redeemSync({ callKey, digest }, { store: view });
    steps.push("intent");
    expect(steps).toEqual(["redeem", "intent"]);
    await expect(gate.redeem({ callKey, digest }, { store: view })).rejects.toThrow(stale("redeemed"));
    expect(() => gate.redeemSync({ callKey, digest })).toThrow(stale("redeemed"));
  });

  it("redeems nothing when the transaction fails, and the approval is still there", async () => {
    const { gate, digest } = await parkedAndAllowed();
    const view = {
      redeem: (): never => {
        throw new Error("disk full");
      },
    };
    const failed = expect.objectContaining({ code: "store_failed" });
    expect(() => gate.redeemSync({ callKey, digest }, { store: view })).toThrow(failed);
    await expect(gate.redeem({ callKey, digest }, { store: view })).rejects.toThrow(failed);
    await gate.redeem({ callKey, digest });
  });

  it("refuses a store that answers later where nothing can wait", async () => {
    const { gate, digest, store } = await parkedAndAllowed();
    const view: Pick<ApprovalStore, "redeem"> = { redeem: async (redemption) => store.redeem(redemption) };
    expect(() => gate.redeemSync({ callKey, digest }, { store: view as never })).toThrow(
      expect.objectContaining({ code: "async_store" }),
    );
  });

  it("takes nothing but a clear yes", async () => {
    const { gate, digest } = await parkedAndAllowed();
    const view = { redeem: () => ({}) as never };
    await expect(gate.redeem({ callKey, digest }, { store: view })).rejects.toThrow(stale("unknown"));
  });
});
