import { describe, expect, it } from "vitest";
import { memoryApprovalStore, type SyncApprovalStore } from "../src/index.ts";
import { allow, gateWith, writeCall, type GateFixture } from "./fixtures.ts";

interface ParkedFixture extends GateFixture {
  readonly store: SyncApprovalStore;
  readonly approvalId: string;
  readonly digest: string;
}

async function parked(): Promise<ParkedFixture> {
  const store = memoryApprovalStore();
  const fixture = gateWith({ decision: "park" }, { store, parkTtlMs: 1000 });
  const outcome = await fixture.gate.authorize(writeCall);
  if (outcome.decision !== "parked") throw new Error("not parked");
  return { ...fixture, ...outcome, store };
}

describe("a parked call", () => {
  // D11
  it("waits in the store with everything a person needs to judge it", async () => {
    const { store, approvalId, digest, clock } = await parked();
    expect(store.list({ state: "open" })).toEqual([
      {
        ...writeCall,
        approvalId,
        digest,
        state: "open",
        createdAt: clock.now(),
        expiresAt: clock.now() + 1000,
      },
    ]);
    expect(JSON.parse(JSON.stringify(store.get(approvalId)))).toEqual(store.get(approvalId));
  });

  it("parks at once when the host says so, and nobody is asked", async () => {
    const { gate, approver } = gateWith(allow, { onAsk: "park" });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "parked" });
    expect(await gate.authorize({ ...writeCall, sideEffectLevel: "none" })).toMatchObject({
      decision: "allow",
    });
    expect(approver.asked).toHaveLength(0);
  });

  it("is denied instead where nobody can be asked any more, and leaves nothing open", async () => {
    const store = memoryApprovalStore();
    for (const gate of [
      gateWith(allow, { onAsk: "park", store }).gate,
      gateWith({ decision: "park" }, { store }).gate,
    ])
      expect(await gate.authorize(writeCall, { parking: "deny" })).toMatchObject({
        decision: "deny",
        reason: "it needs an approval, and nobody can be asked",
      });
    expect(store.list()).toEqual([]);
    const { gate } = gateWith(allow, { store });
    expect(await gate.authorize(writeCall, { parking: "deny" })).toMatchObject({ decision: "allow" });
  });

  it("stays parked under its one id while nobody answers", async () => {
    const { gate, approvalId, store } = await parked();
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "parked", approvalId });
    expect(store.list()).toHaveLength(1);
  });

  // D12
  it("is allowed once the answer is recorded, for one execution", async () => {
    const { gate, approvalId, digest, store, clock } = await parked();
    expect(store.resolve(approvalId, { decision: "allow", by: "ana", at: clock.now() }).ok).toBe(true);
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "allow",
      digest,
      approvalId,
      by: "ana",
    });
    await gate.redeem({ callKey: writeCall.callKey!, digest });
    await expect(gate.redeem({ callKey: writeCall.callKey!, digest })).rejects.toThrow(
      expect.objectContaining({ code: "stale_approval" }),
    );
  });

  it("is a new question once the answer to the old one was used up", async () => {
    const { gate, approvalId, digest, store, clock } = await parked();
    store.resolve(approvalId, { decision: "allow", by: "ana", at: clock.now() });
    await gate.redeem({ callKey: writeCall.callKey!, digest });
    const again = await gate.authorize(writeCall);
    expect(again).toMatchObject({ decision: "parked", approvalId: expect.not.stringMatching(approvalId) });
    expect(store.list({ state: "open" })).toHaveLength(1);
    await expect(gate.redeem({ callKey: writeCall.callKey!, digest })).rejects.toThrow(
      expect.objectContaining({ code: "stale_approval" }),
    );
  });

  it("is denied with the operator's reason, even where a rule would allow it", async () => {
    const { gate, approvalId, store, clock } = await parked();
    store.resolve(approvalId, {
      decision: "deny",
      by: "ana",
      reason: "wait for the release",
      at: clock.now(),
    });
    await gate.remember({ toolName: "write", effect: "allow", scope: "process" });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      by: "ana",
      text: "Tool execution denied: wait for the release",
    });
  });

  // S10
  it("is stale when it comes back as another call", async () => {
    const { gate, approvalId, store, clock } = await parked();
    store.resolve(approvalId, { decision: "allow", by: "ana", at: clock.now() });
    expect(await gate.authorize({ ...writeCall, input: { path: "src/b.ts", text: "x" } })).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("stale_approval"),
      approvalId,
    });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "allow" });
  });

  // D12
  it("is closed as denied when nobody answers in time", async () => {
    const { gate, approvalId, store, clock } = await parked();
    clock.advance(1000);
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", approvalId });
    const late = store.resolve(approvalId, { decision: "allow", by: "ana", at: clock.now() });
    expect(late).toEqual({ ok: false, problem: "expired" });
  });

  // C52
  it("takes no answer through a stale id", async () => {
    const { gate, approvalId, digest, store, clock } = await parked();
    const answer = { decision: "allow", by: "ana", at: clock.now() } as const;
    expect(store.resolve("no-such-id", answer)).toEqual({ ok: false, problem: "unknown" });
    expect(store.resolve(approvalId, answer).ok).toBe(true);
    expect(store.resolve(approvalId, answer)).toEqual({ ok: false, problem: "resolved" });
    await gate.redeem({ callKey: writeCall.callKey!, digest });
    expect(store.resolve(approvalId, answer)).toEqual({ ok: false, problem: "redeemed" });
  });

  it("still meets the deny rules when it comes back", async () => {
    const { gate, approvalId, store, clock } = await parked();
    store.resolve(approvalId, { decision: "allow", by: "ana", at: clock.now() });
    await gate.remember({ toolName: "write", effect: "deny", scope: "process", reason: "frozen" });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", reason: "frozen" });
  });
});

describe("an approval store that fails", () => {
  const outage = (): never => {
    throw new Error("disk gone");
  };

  it("denies a call whose question it could not keep", async () => {
    const store = { ...memoryApprovalStore(), name: "the ledger", put: outage };
    const { gate } = gateWith({ decision: "park" }, { store });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: "the ledger could not answer: it could not keep the question",
    });
  });

  it("denies a call about which it cannot be asked", async () => {
    const { gate, approver } = gateWith(allow, { store: { ...memoryApprovalStore(), list: outage } });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny" });
    expect(approver.asked).toHaveLength(0);
  });
});
