import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { openCommandRules } from "../../src/commands/index.ts";
import {
  createApprovalGate,
  memoryRuleStore,
  type ApprovalRequest,
  type ApprovalRule,
} from "../../src/index.ts";
import { commandCall, scriptedApprover } from "../fixtures.ts";

const commands = await openCommandRules({ gitMayRun: () => false });
const ls: ApprovalRule = {
  toolName: "spawn",
  effect: "allow",
  scope: "session",
  within: "session-1",
  pattern: { command: { words: ["ls"], rest: "any" } },
};
const call = (body: string, change: Partial<ApprovalRequest> = {}): ApprovalRequest =>
  ({ ...commandCall, preview: { ...(commandCall.preview as object), body }, ...change }) as ApprovalRequest;

function gateOver(...rules: ApprovalRule[]) {
  const clock = manualClock();
  const store = memoryRuleStore({ rules, clock });
  const approver = scriptedApprover({ decision: "deny", reason: "asked" });
  const gate = createApprovalGate({ approver, rules: store, clock, commands });
  const says = async (body: string, change?: Partial<ApprovalRequest>): Promise<string> => {
    const outcome = await gate.authorize(call(body, change));
    return "reason" in outcome ? outcome.reason : outcome.decision;
  };
  return { gate, store, clock, says };
}

describe("a kept command rule", () => {
  // C51
  it("no longer holds once revoked, however often it was found before", async () => {
    const { store, says } = gateOver(ls);
    expect([await says("ls"), await says("ls -a")]).toEqual(["allow", "allow"]);
    store.revoke(store.list()[0]!.id);
    expect(await says("ls")).toBe("asked");
    store.add(ls);
    expect(await says("ls")).toBe("allow");
  });

  it("is found from the moment it is added, a denial too", async () => {
    const { gate, says } = gateOver();
    expect(await says("ls")).toBe("asked");
    await gate.remember(ls);
    expect(await says("ls")).toBe("allow");
    await gate.remember({ ...ls, effect: "deny", pattern: { command: { words: ["ls"] } }, reason: "no ls" });
    expect(await says("ls")).toBe("no ls");
  });

  // C48
  it("ends with its time", async () => {
    const { clock, says } = gateOver({ ...ls, expiresAt: manualClock().now() + 1000 });
    clock.advance(999);
    expect(await says("ls")).toBe("allow");
    clock.advance(1);
    expect(await says("ls")).toBe("asked");
  });

  // C44
  it("holds for its session, agent, tool and the tool behind the name", async () => {
    const { says } = gateOver({ ...ls, agent: "main", toolIdentity: "sha256:tool" });
    const here = { toolIdentity: "sha256:tool" };
    expect(await says("ls", here)).toBe("allow");
    for (const change of [
      { sessionId: "session-2" },
      { agentId: "child" },
      { toolIdentity: "sha256:other" },
    ]) {
      expect(await says("ls", { ...here, ...change })).toBe("asked");
    }
  });

  it("of one session does not help one of another to cover a command", async () => {
    const pwd: ApprovalRule = { ...ls, within: "session-2", pattern: { command: { words: ["pwd"] } } };
    expect(await gateOver(ls, pwd).says("ls; pwd")).toBe("asked");
    expect(await gateOver(ls, { ...pwd, within: "session-1" }).says("ls; pwd")).toBe("allow");
  });

  it("is found among a thousand others, whatever their order", async () => {
    const others = Array.from({ length: 1000 }, (_, at): ApprovalRule => ({
      ...ls,
      effect: at % 3 === 0 ? "deny" : "allow",
      pattern:
        at % 2 === 0 ? { command: { words: [`program-${at}`] } } : { exact: { body: `program-${at}` } },
    }));
    expect(await gateOver(ls, ...others).says("/bin/true; ls")).toBe("asked");
    expect(await gateOver(ls, ...others).says("ls | ls")).toBe("allow");
    expect(await gateOver(...others, ls).says("ls; program-2")).toBe("allow");
    expect(await gateOver(...others, ls).says("ls; program-6")).toContain("denies this call");
    expect(await gateOver(...others, ls).says("ls; PROGRAM-6")).toContain("denies this call");
    expect(await gateOver(...others, ls).says("ls; $X")).toContain("denies this call");
  });
});
