import { describe, expect, it } from "vitest";
import {
  approvalDigest,
  memoryApprovalStore,
  type ApprovalEvidence,
  type ApprovalGate,
  type ApprovalStore,
  type ApproverAnswer,
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

  it("refuses an allow that a later judgement of the same call overtook, in whatever order they end", async () => {
    const answers: ((answer: ApproverAnswer) => void)[] = [];
    const approve = () => new Promise<ApproverAnswer>((answer) => answers.push(answer));
    const { gate } = gateWith(allow, { approver: { approve } });
    const [first, second] = [gate.authorize(request), gate.authorize(request)];
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.(deny);
    expect(await second).toMatchObject({ decision: "deny" });
    answers[0]?.(allow);
    expect(await first).toMatchObject({ decision: "deny", by: "the approval gate" });
    const digest = approvalDigest(evidence);
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("unknown"));
    const alone = gate.authorize(request);
    await expect.poll(() => answers.length).toBe(3);
    answers[2]?.(allow);
    expect(await alone).toMatchObject({ decision: "allow" });
    await gate.redeem({ callKey, digest });
  });

  it("refuses an old allow although the machine's clock was set back", async () => {
    const { clock } = gateWith(allow);
    let backMs = 0;
    const turned = { ...clock, now: () => clock.now() - backMs };
    const { gate } = gateWith(allow, { grantTtlMs: 1000, clock: turned });
    const digest = await allowed(gate);
    backMs = 60_000;
    clock.advance(999);
    const other = approvalDigest({ ...evidence, cwd: "/" });
    await expect(gate.redeem({ callKey, digest: other })).rejects.toThrow(stale("changed"));
    clock.advance(1);
    await expect(gate.redeem({ callKey, digest })).rejects.toThrow(stale("expired"));
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
    for (const answer of [{}, undefined, { ok: 1 }, { ok: "true" }]) {
      const view = { redeem: () => answer as never };
      await expect(gate.redeem({ callKey, digest }, { store: view })).rejects.toThrow(stale("unknown"));
    }
    await expect(gate.redeem({ callKey, digest })).resolves.toBeUndefined();
  });
});
