import { describe, expect, it } from "vitest";
import { memoryRuleStore } from "../src/index.ts";
import { allow, gateWith, writeCall } from "./fixtures.ts";

describe("a call that has begun and goes on", () => {
  // ADR 0025
  it("is denied by a deny rule alone: nobody is asked, and what is allowed stays redeemable", async () => {
    const rules = memoryRuleStore();
    const { gate, approver } = gateWith(allow, { rules });
    const allowed = await gate.authorize(writeCall);
    expect(await gate.denyRunning(writeCall)).toBeUndefined();
    expect(await gate.denyRunning({ ...writeCall, sideEffectLevel: "external" })).toBeUndefined();
    rules.add({ toolName: "write", effect: "deny", scope: "global", reason: "no longer" });
    expect(await gate.denyRunning(writeCall)).toMatchObject({
      decision: "deny",
      reason: "no longer",
      by: expect.stringMatching(/^rule /),
    });
    expect(approver.asked).toHaveLength(1);
    await gate.redeem({ callKey: writeCall.callKey!, digest: (allowed as { digest: string }).digest });
    const failing = gateWith(allow, { rules: { ...rules, find: () => Promise.reject(new Error("gone")) } });
    expect(await failing.gate.denyRunning(writeCall)).toMatchObject({ by: "the rule store" });
    expect(await gate.denyRunning({ ...writeCall, input: Number.NaN as never })).toMatchObject({
      decision: "deny",
    });
    const stopped = { signal: AbortSignal.abort(new Error("stop")) };
    await expect(gate.denyRunning(writeCall, stopped)).rejects.toThrow("stop");
  });
});
