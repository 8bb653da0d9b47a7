import { createApprovalGate, denyAll, type ApprovalRule } from "@basis/approval";
import { approvalStoreCases, ruleStoreCases } from "@basis/approval/conformance";
import { describe, expect, test } from "vitest";
import type { Intent } from "../../src/store/host-ledger.ts";
import { openingsOf } from "../harness/open-kind.ts";
import { stateKinds } from "../harness/test-host.ts";

describe.each(stateKinds)("the ledger of a state in %s", (kind) => {
  test.each(approvalStoreCases)("approvals: $name", async ({ run }) => {
    const { ledger } = await (await openingsOf(kind))();
    await expect(run(ledger.approvals)).resolves.toBeUndefined();
  });

  test.each(ruleStoreCases)("rules: $name", async ({ run }) => {
    const { ledger } = await (await openingsOf(kind))();
    await expect(run(ledger.rules)).resolves.toBeUndefined();
  });
});

describe.each(stateKinds)("two openings of a state in %s", (kind) => {
  const allow: ApprovalRule = { toolName: "write", effect: "allow", scope: "global" };

  test("see each other's rules, answers, cancels and upkeep from the next question on", async () => {
    const open = await openingsOf(kind);
    const [here, there] = [(await open()).ledger, (await open()).ledger];
    expect(await there.rules.find({ toolName: "write" })).toEqual([]);
    const { id } = await here.rules.add(allow);
    expect(await there.rules.find({ toolName: "write" })).toMatchObject([{ id, ...allow }]);
    expect(await there.rules.find({ toolName: "write" })).toMatchObject([{ id }]);
    expect(await there.rules.find({ toolName: "other" })).toEqual([]);
    expect(await here.rules.revoke(id)).toBe(true);
    expect(await there.rules.revoke(id)).toBe(false);
    expect(await there.rules.find({ toolName: "write" })).toEqual([]);
    expect(await here.lastUpkeep()).toBeUndefined();
    await here.noteUpkeep(5);
    await there.noteUpkeep(7);
    expect(await here.lastUpkeep()).toBe(7);
    const ask = { runId: "run", sessionId: "s", at: 1 };
    await here.cancels.ask(ask);
    await here.cancels.ask(ask);
    expect(await there.cancels.asked()).toEqual(["run"]);
    await there.cancels.settle("run");
    expect(await here.cancels.asked()).toEqual([]);
  });

  test("let a question that was parked by one be allowed by the other and used up once", async () => {
    const open = await openingsOf(kind);
    const [here, there] = [await open(), await open()];
    const { id } = await here.store.createSession({ member: "main", role: "main" });
    const facts = { callKey: "k", agentId: "main", toolName: "write", input: {}, sessionId: id };
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store: here.ledger.approvals });
    const parked = await gate.authorize({ ...facts, sideEffectLevel: "local_state" });
    const { approvalId, digest } = parked as { approvalId: string; digest: string };
    await there.ledger.approvals.resolve(approvalId, { decision: "allow", by: "you", at: Date.now() });
    let lease = await here.store.acquireLease(id, { owner: "x", ttlMs: 5000 });
    const begin = (expectedRev: number, callKey: string) =>
      here.store.update(id, {
        lease,
        expectedRev,
        join: (tx) =>
          here.ledger.begin(tx, intentOf(callKey, id), (store) =>
            gate.redeemSync({ callKey: "k", digest }, { store }),
          ),
      });
    await begin(0, "k");
    await expect(begin(1, "k2")).rejects.toMatchObject({ code: "stale_approval" });
    expect(await there.ledger.approvals.get(approvalId)).toMatchObject({ state: "redeemed" });
    expect(await there.ledger.intentsOf(id)).toEqual([intentOf("k", id)]);
    await there.ledger.forget([id]);
    expect(await here.ledger.intentsOf(id)).toEqual([]);
    lease = await here.store.renewLease(lease);
  });
});

function intentOf(callKey: string, sessionId: string): Intent {
  const call = { runId: "run", toolCallId: "c1", toolName: "write", level: "local_state" } as const;
  return { callKey, sessionId, ...call, digest: "sha256:x", startedAt: 5 };
}

describe.each(stateKinds)("the intents of a ledger in %s", (kind) => {
  test("are kept in the transaction of a session's write, oldest first, and finished once", async () => {
    const { store, ledger } = await (await openingsOf(kind))();
    const { id } = await store.createSession({ member: "main", role: "main" });
    const lease = await store.acquireLease(id, { owner: "x", ttlMs: 1000 });
    await store.update(id, { lease, expectedRev: 0, join: (tx) => ledger.begin(tx, intentOf("k1", id)) });
    await store.update(id, { lease, expectedRev: 1, join: (tx) => ledger.begin(tx, intentOf("k2", id)) });
    await store.update(id, { lease, expectedRev: 2, join: (tx) => ledger.finish(tx, "k1", 9) });
    expect(await ledger.intentsOf(id)).toEqual([
      { ...intentOf("k1", id), finishedAt: 9 },
      intentOf("k2", id),
    ]);
    expect(await ledger.intentsOf("other")).toEqual([]);
  });

  test("are not kept by a write that is refused", async () => {
    const { store, ledger } = await (await openingsOf(kind))();
    const { id } = await store.createSession({ member: "main", role: "main" });
    const lease = await store.acquireLease(id, { owner: "x", ttlMs: 1000 });
    const refused = store.update(id, {
      lease,
      expectedRev: 7,
      join: (tx) => ledger.begin(tx, intentOf("k1", id)),
    });
    await expect(refused).rejects.toMatchObject({ code: "revision_conflict" });
    expect(await ledger.intentsOf(id)).toEqual([]);
  });
});
