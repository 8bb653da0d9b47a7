import { describe, expect, it } from "vitest";
import {
  allowAll,
  ApprovalError,
  approvalDigest,
  byLevel,
  createApprovalGate,
  denyAll,
  memoryRuleStore,
  type ApprovalGateOptions,
} from "../src/index.ts";
import { allow, commandCall, deny, gateWith, silentApprover, spawnCall, writeCall } from "./fixtures.ts";

describe("a gate and its approver", () => {
  // C39
  it("asks about a delegation and about a command, and shows the preview", async () => {
    const { gate, approver } = gateWith(allow);
    await gate.authorize(spawnCall);
    await gate.authorize(commandCall);
    expect(approver.asked.map((request) => request.preview)).toEqual([
      spawnCall.preview,
      commandCall.preview,
    ]);
  });

  it("allows with the digest of everything that decides what happens", async () => {
    const { gate, clock } = gateWith(allow);
    const { agentId: agent, callKey = "", toolName, input, preview, binding } = spawnCall;
    expect(await gate.authorize(spawnCall)).toEqual({
      decision: "allow",
      digest: approvalDigest({ callKey, agent, toolName, input, preview, binding }),
      expiresAt: clock.now() + 600_000,
      by: "approver 'script'",
    });
  });

  it("binds the host's own digest when it is given one", async () => {
    const { gate } = gateWith(allow);
    const outcome = await gate.authorize({ ...writeCall, digest: "sha256:mine" });
    expect(outcome).toMatchObject({ decision: "allow", digest: "sha256:mine" });
    await gate.redeem({ callKey: "session-1/4/0", digest: "sha256:mine" });
  });

  // C40
  it("denies with the approver's reason, and then there is nothing to redeem", async () => {
    const { gate } = gateWith(deny);
    const outcome = await gate.authorize(writeCall);
    expect(outcome).toEqual({
      decision: "deny",
      reason: "not today",
      by: "approver 'script'",
      text: "Tool execution denied: not today",
    });
    const digest = approvalDigest({ ...writeCall, callKey: writeCall.callKey!, agent: "main" });
    await expect(gate.redeem({ callKey: writeCall.callKey!, digest })).rejects.toThrow(ApprovalError);
  });

  // C41
  it("never asks about a read, and asks when no level is stated", async () => {
    const { gate, approver } = gateWith(deny);
    const { sideEffectLevel: _level, ...unlevelled } = writeCall;
    expect(await gate.authorize({ ...writeCall, sideEffectLevel: "none" })).toMatchObject({
      decision: "allow",
    });
    expect(approver.asked).toHaveLength(0);
    expect(await gate.authorize(unlevelled)).toMatchObject({ decision: "deny" });
    expect(approver.asked[0]?.sideEffectLevel).toBe("external");
  });

  it("treats a level nobody knows as external", async () => {
    const { gate, approver } = gateWith(allow);
    await gate.authorize({ ...writeCall, sideEffectLevel: "constructor" as never });
    expect(approver.asked[0]?.sideEffectLevel).toBe("external");
  });

  it("gives the approver a copy that it cannot change", async () => {
    const gate = createApprovalGate({
      approver: {
        approve: (request) => {
          (request.input as { path: string }).path = "/etc/passwd";
          return allow;
        },
      },
    });
    const input = { path: "a" };
    expect(await gate.authorize({ ...writeCall, input })).toMatchObject({ decision: "deny" });
    expect(input).toEqual({ path: "a" });
  });

  it("takes a call id where the host's call ids are unique", async () => {
    const { gate } = gateWith(allow);
    const { callKey: _key, ...rest } = writeCall;
    const outcome = await gate.authorize({ ...rest, callId: "call-7" });
    if (outcome.decision !== "allow") throw new Error("not allowed");
    await expect(gate.redeem({ callKey: "call-7", digest: outcome.digest })).resolves.toBeUndefined();
  });

  // S17
  it("keeps calls apart by the host's key even when the provider repeats an id", async () => {
    const { gate } = gateWith([allow, deny]);
    const first = await gate.authorize({ ...writeCall, callKey: "s/1/0", callId: "call_0" });
    const second = await gate.authorize({ ...writeCall, callKey: "s/3/0", callId: "call_0" });
    expect([first.decision, second.decision]).toEqual(["allow", "deny"]);
    if (first.decision !== "allow") throw new Error("not allowed");
    await expect(gate.redeem({ callKey: "s/3/0", digest: first.digest })).rejects.toThrow(ApprovalError);
    await gate.redeem({ callKey: "s/1/0", digest: first.digest });
  });
});

describe("the shipped approvers", () => {
  const decide = async (approver: ApprovalGateOptions["approver"], level: "local_state" | "process") =>
    (await createApprovalGate({ approver }).authorize({ ...writeCall, sideEffectLevel: level })).decision;

  it("allow everything, deny everything, or allow up to a level", async () => {
    expect(await decide(allowAll, "process")).toBe("allow");
    expect(await decide(denyAll, "local_state")).toBe("deny");
    expect(await decide(byLevel("local_state"), "local_state")).toBe("allow");
    expect(await decide(byLevel("local_state"), "process")).toBe("deny");
    expect(await decide(byLevel("local_state", allowAll), "process")).toBe("allow");
  });
});

describe("an approver that cannot answer", () => {
  const broken: readonly [string, unknown][] = [
    ["its answer is not an object", undefined],
    ["its answer is not an object", "allow"],
    ["its answer names no known decision", { decision: "yes" }],
    ["its answer names no known decision", { decision: "constructor", text: "allow" }],
    ["its reason is not a text", { decision: "allow", reason: 7 }],
    ["its answer changes the input of a call it does not allow", { decision: "deny", input: {} }],
    ["the input it put in place has no JSON form", { decision: "allow", input: { n: Number.NaN } }],
  ];

  // C42
  it.each(broken)("denies and says that %s", async (problem, answer) => {
    const { gate } = gateWith([answer]);
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: `approver 'script' could not answer: ${problem}`,
      failure: { who: "approver 'script'", cause: answer },
    });
  });

  // C42, S40
  it("denies when it throws, without quoting what it threw to the model", async () => {
    const cause = new Error("token sk-secret rejected");
    const gate = createApprovalGate({ approver: { name: "remote", approve: () => Promise.reject(cause) } });
    const outcome = await gate.authorize(writeCall);
    expect(outcome).toMatchObject({ decision: "deny", failure: { who: "approver 'remote'", cause } });
    expect(JSON.stringify({ ...outcome, failure: undefined })).not.toContain("sk-secret");
  });

  // C42
  it("denies when it takes too long, and waits for ever only when told to", async () => {
    const silent = silentApprover();
    const { gate, clock } = gateWith(allow, { approver: silent, approverTimeoutMs: 300 });
    const asked = gate.authorize(writeCall);
    await silent.reached;
    clock.advance(300);
    expect(await asked).toMatchObject({
      decision: "deny",
      reason: "the approver could not answer: it took longer than 300ms",
    });
    const patient = gateWith(allow, { approverTimeoutMs: Infinity });
    expect(await patient.gate.authorize(writeCall)).toMatchObject({ decision: "allow" });
  });

  // C64
  it.each([
    ["input", { input: { n: Number.NaN } }],
    ["preview", { preview: { body: "\ud800" } }],
    ["preview", { preview: (() => 1) as never }],
  ])("is never asked about a call whose %s cannot be shown", async (part, change) => {
    const { gate, approver } = gateWith(allow);
    expect(await gate.authorize({ ...writeCall, ...change })).toMatchObject({
      decision: "deny",
      reason: `the approval gate could not answer: the ${part} of the call has no canonical JSON form`,
    });
    expect(approver.asked).toHaveLength(0);
  });

  it("denies a request without its names", async () => {
    const { gate, approver } = gateWith(allow);
    expect(await gate.authorize({ ...writeCall, callKey: "" })).toMatchObject({ decision: "deny" });
    expect(approver.asked).toHaveLength(0);
  });

  it("rejects with the signal's reason when the turn ends, before and while it is asked", async () => {
    const turn = new AbortController();
    const { gate } = gateWith(allow, { approver: silentApprover() });
    const asked = gate.authorize(writeCall, { signal: turn.signal });
    turn.abort(new Error("turn over"));
    await expect(asked).rejects.toThrow("turn over");
    await expect(gate.authorize(writeCall, { signal: turn.signal })).rejects.toThrow("turn over");
  });
});

/** True while a promise has not settled, whatever microtasks are still to come. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let open = true;
  void promise.finally(() => (open = false));
  await new Promise((done) => void setImmediate(done));
  return open;
}

describe("gate options", () => {
  it("left out, wait ten minutes for an approver and five seconds for a store, and park for a day", async () => {
    const silent = silentApprover();
    const { gate, clock } = gateWith(allow, { approver: silent });
    const asked = gate.authorize(writeCall);
    await silent.reached;
    clock.advance(599_999);
    expect(await isOpen(asked)).toBe(true);
    clock.advance(1);
    expect(await asked).toMatchObject({
      reason: "the approver could not answer: it took longer than 600000ms",
    });

    let reached = false;
    const find = () => ((reached = true), new Promise<never>(() => undefined));
    const rules = { ...memoryRuleStore(), find };
    const slow = gateWith(allow, { rules });
    const judged = slow.gate.authorize(writeCall);
    await expect.poll(() => reached).toBe(true);
    slow.clock.advance(4999);
    expect(await isOpen(judged)).toBe(true);
    slow.clock.advance(1);
    expect(await judged).toMatchObject({ decision: "deny", by: "the rule store" });

    const parking = gateWith(allow, { onAsk: "park" });
    const expiresAt = parking.clock.now() + 86_400_000;
    expect(await parking.gate.authorize(writeCall)).toMatchObject({ decision: "parked", expiresAt });
  });

  it.each([
    [{ approver: {} as never }, "approver"],
    [{ approver: allowAll, onAsk: "maybe" as never }, "onAsk"],
    [{ approver: allowAll, grantTtlMs: 0 }, "grantTtlMs"],
    [{ approver: allowAll, storeTimeoutMs: Infinity }, "storeTimeoutMs"],
    [{ approver: allowAll, approverTimeoutMs: 2 ** 31 }, "approverTimeoutMs"],
  ])("refuse what the gate cannot work with: %#", (options, option) => {
    expect(() => createApprovalGate(options)).toThrow(
      expect.objectContaining({ code: "invalid_option", details: expect.objectContaining({ option }) }),
    );
  });
});
