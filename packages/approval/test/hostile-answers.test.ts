import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvalDigest, type ApprovalStore, type RuleStore } from "../src/index.ts";
import { allow, gateWith, writeCall } from "./fixtures.ts";

const trap = (): never => {
  throw new Error("trap");
};
const untouchable = (): object => new Proxy({}, { get: trap });
const ruleStore = (find: RuleStore["find"]): RuleStore => ({
  find,
  add: trap,
  list: () => [],
  revoke: () => false,
});
const approvalStore = (list: ApprovalStore["list"]): ApprovalStore => ({
  put: trap,
  get: () => undefined,
  list,
  resolve: trap,
  redeem: trap,
});

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => void process.off("unhandledRejection", note));

describe("a store that answers nonsense", () => {
  it.each([
    ["a list of nothing", [null]],
    ["rules that cannot be looked at", [untouchable()]],
    ["no list", {}],
  ])("denies, naming the rule store: %s", async (_what, found) => {
    const { gate, approver } = gateWith(allow, { rules: ruleStore(() => found as never) });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("the rule store could not answer"),
    });
    expect(approver.asked).toHaveLength(0);
  });

  it.each([
    ["a list of nothing", [null]],
    ["records that cannot be looked at", [untouchable()]],
    ["no list", {}],
  ])("denies, naming the approval store: %s", async (_what, found) => {
    const { gate, approver } = gateWith(allow, { store: approvalStore(() => found as never) });
    expect(await gate.authorize(writeCall)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("the approval store could not answer"),
    });
    expect(approver.asked).toHaveLength(0);
    const empty = gateWith(allow, { store: approvalStore(() => []) });
    expect(await empty.gate.authorize(writeCall)).toMatchObject({ decision: "allow" });
  });
});

describe("an approver's answer", () => {
  it("is read once: a second look cannot find another decision", async () => {
    let looks = 0;
    const answer = {
      get decision() {
        looks += 1;
        return looks === 1 ? "deny" : "allow";
      },
    };
    const { gate } = gateWith(answer);
    expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny" });
  });

  it("denies when it cannot be looked at", async () => {
    const unreadable = Object.defineProperty({}, "path", { enumerable: true, get: trap });
    for (const answer of [untouchable(), { decision: "allow", input: unreadable }]) {
      const { gate } = gateWith(allow, { approver: { approve: () => answer as never } });
      expect(await gate.authorize(writeCall)).toMatchObject({ decision: "deny", by: "the approver" });
    }
  });

  it("keeps the edited input as it was when it was given", async () => {
    const input = { path: "src/b.ts", text: "x" };
    const { gate } = gateWith({ decision: "allow", input });
    const outcome = await gate.authorize(writeCall);
    input.path = "/etc/passwd";
    expect(outcome).toMatchObject({ decision: "edited", input: { path: "src/b.ts", text: "x" } });
  });
});

describe("a call that changes while it is judged", () => {
  it("is judged, shown and bound as it was when the question was put", async () => {
    const input = { path: "src/a.ts", text: "x" };
    const { gate, approver } = gateWith(allow, { rules: ruleStore(async () => []) });
    const judging = gate.authorize({ ...writeCall, input });
    input.path = "/etc/passwd";
    const outcome = await judging;
    expect(approver.asked[0]?.input).toEqual({ path: "src/a.ts", text: "x" });
    const { callKey = "", agentId: agent, toolName } = writeCall;
    const digest = approvalDigest({ callKey, agent, toolName, input });
    expect(outcome).toMatchObject({ decision: "allow" });
    await expect(gate.redeem({ callKey, digest })).rejects.toMatchObject({ code: "stale_approval" });
  });

  it("is refused when it has no input at all", async () => {
    const { input: _input, ...unfinished } = writeCall;
    const { gate, approver } = gateWith(allow);
    expect(await gate.authorize(unfinished as never)).toMatchObject({
      decision: "deny",
      failure: { cause: { code: "invalid_request", details: { field: "input" } } },
    });
    expect(approver.asked).toHaveLength(0);
    expect(await gate.authorize({ ...writeCall, input: null })).toMatchObject({ decision: "allow" });
  });
});

describe("a turn that ends while the stores are asked", () => {
  it("asks no further store, and leaves no failure behind that nobody handles", async () => {
    const turn = new AbortController();
    let asked = 0;
    const store = approvalStore(async () => {
      asked += 1;
      throw new Error("late");
    });
    const rules = ruleStore(() => (turn.abort(), []));
    const { gate } = gateWith(allow, { rules, store });
    await expect(gate.authorize(writeCall, { signal: turn.signal })).rejects.toBe(turn.signal.reason);
    await new Promise((done) => void setImmediate(done));
    expect([asked, unhandled]).toEqual([0, []]);
  });
});
