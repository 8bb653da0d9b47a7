import { describe, expect, it } from "vitest";
import type { ApprovalRequest, AuthorizeOutcome } from "../src/index.ts";
import { allow, gateWith, writeCall } from "./fixtures.ts";

const edited = { path: "src/a.ts", text: "edited" };
const hooked = { path: "src/a.ts", text: "hooked" };
const edit = (input: object, decision = "allow") => ({ decision, input });
const withInput = (input: ApprovalRequest["input"]): ApprovalRequest => ({ ...writeCall, input });

// S11
describe("an approver's edit", () => {
  it("allows nothing yet: the host has to bring the call back through its hooks", async () => {
    const { gate } = gateWith(edit(edited));
    expect(await gate.authorize(writeCall)).toEqual({
      decision: "edited",
      input: edited,
      round: 1,
      by: "approver 'script'",
    });
  });

  it("counts as the approver's yes when the call comes back as it was edited", async () => {
    const { gate, approver } = gateWith(edit(edited));
    await gate.authorize(writeCall);
    const outcome = await gate.authorize(withInput(edited));
    expect(outcome).toMatchObject({ decision: "allow", by: "approver 'script'" });
    expect(approver.asked).toHaveLength(1);
    if (outcome.decision === "allow")
      await gate.redeem({ callKey: writeCall.callKey!, digest: outcome.digest });
  });

  it("that changes nothing is a plain yes", async () => {
    const { gate } = gateWith(edit({ text: "x", path: "src/a.ts" }));
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "allow" });
  });

  it("goes back to the approver when hooks changed it further, or the plan or place is another", async () => {
    for (const change of [
      { input: hooked },
      { binding: "sha256:other" },
      { cwd: "/else" },
      { sideEffectLevel: "external" },
      { effect: "command" },
      { toolIdentity: "sha256:other" },
      { evidence: { "file:a": "sha256:other" } },
      { agentId: "other" },
    ] as const) {
      const { gate, approver } = gateWith([edit(edited), allow]);
      await gate.authorize(writeCall);
      expect(await gate.authorize({ ...withInput(edited), ...change })).toMatchObject({ decision: "allow" });
      expect(approver.asked).toHaveLength(2);
    }
  });

  it("still meets the deny rules", async () => {
    const rule = { toolName: "write", effect: "deny", scope: "global", pattern: { exact: edited } } as const;
    const { gate } = gateWith(edit(edited), { rules: [rule] });
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "edited" });
    expect(await gate.authorize(withInput(edited))).toMatchObject({ decision: "deny" });
  });

  it("remembers the form that is executed, not the one that was asked about", async () => {
    const { gate, approver } = gateWith([edit(edited, "allow_for_session"), { decision: "deny" }]);
    await gate.authorize(writeCall);
    await gate.authorize(withInput(edited));
    expect(await gate.authorize({ ...withInput(edited), callKey: "k2" })).toMatchObject({
      decision: "allow",
    });
    expect(approver.asked).toHaveLength(1);
    expect(await gate.authorize({ ...writeCall, callKey: "k3" })).toMatchObject({ decision: "deny" });
  });

  it("ends in a denial after three rounds against a hook that always rewrites", async () => {
    const { gate, approver } = gateWith(edit(edited));
    const outcomes: AuthorizeOutcome[] = [await gate.authorize(writeCall)];
    while (outcomes.at(-1)?.decision === "edited") outcomes.push(await gate.authorize(withInput(hooked)));
    expect(outcomes.map((outcome) => outcome.decision)).toEqual(["edited", "edited", "edited", "deny"]);
    expect(approver.asked).toHaveLength(3);
    expect(await gate.authorize(withInput(hooked))).toMatchObject({ decision: "edited", round: 1 });
  });

  it("never carries over to another call", async () => {
    const { gate } = gateWith([edit(edited), { decision: "deny" }]);
    await gate.authorize(writeCall);
    expect(await gate.authorize({ ...withInput(edited), callKey: "other" })).toMatchObject({
      decision: "deny",
    });
  });

  it("that never comes back is forgotten", async () => {
    const { gate, clock, approver } = gateWith(edit(edited), { parkTtlMs: 1000 });
    await gate.authorize(writeCall);
    clock.advance(1000);
    expect(await gate.authorize(withInput(edited))).toMatchObject({ decision: "allow" });
    expect(approver.asked).toHaveLength(2);
  });
});
