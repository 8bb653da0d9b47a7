import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAll, createApprovalGate, denyAll } from "@basis/approval";
import { approvalStoreCases } from "@basis/approval/conformance";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Intent } from "../../src/store/host-ledger.ts";
import { memoryState, openState, type HostState } from "../../src/store/open-state.ts";

async function sqliteState(): Promise<HostState> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-ledger-")));
  const state = await openState(directory);
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return state;
}

const kinds: readonly (readonly [string, () => Promise<HostState>])[] = [
  ["memory", async () => memoryState()],
  ["sqlite", sqliteState],
];

describe.each(kinds)("the approvals of a ledger in %s", (_kind, open) => {
  test.each(approvalStoreCases)("$name", async ({ run }) => {
    await expect(run((await open()).ledger.approvals)).resolves.toBeUndefined();
  });
});

// C42
describe("a question of a ledger in sqlite", () => {
  test.each([
    ["a text that is no JSON", "UPDATE runtime_approval SET record = 'x'"],
    ["a text that is no question", "UPDATE runtime_approval SET record = 'null'"],
    ["another state than its column", "UPDATE runtime_approval SET state = 'allowed'"],
    ["another call than its column", "UPDATE runtime_approval SET call_key = 'other'"],
  ])("is named as damaged, with what to do, once it has %s", async (_name, sql) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-ledger-")));
    const writer = await openState(directory);
    const facts = { callKey: "k", agentId: "main", toolName: "write", input: {}, sessionId: "s" };
    const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store: writer.ledger.approvals });
    const parked = await gate.authorize(facts);
    await writer.close();
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const db = new DatabaseSync(join(directory, "sessions.db"));
    db.exec(sql);
    db.close();
    const state = await openState(directory);
    onTestFinished(async () => {
      await state.close();
      rmSync(directory, { recursive: true, force: true });
    });
    const { approvals } = state.ledger;
    const { approvalId } = parked as { approvalId: string };
    const words = `approval '${approvalId}' of the store is damaged`;
    await expect((async () => approvals.list())()).rejects.toThrow(words);
    await expect((async () => approvals.get(approvalId))()).rejects.toThrow("basis sessions rm s");
    const again = createApprovalGate({ approver: allowAll, store: approvals });
    expect(
      await again.authorize({ ...facts, callKey: sql.includes("'other'") ? "other" : "k" }),
    ).toMatchObject({ decision: "deny", by: "approval store" });
    await state.ledger.forget(["s"]);
    expect(await approvals.list()).toEqual([]);
  });
});

describe.each(kinds)("the intents of a ledger in %s", (_kind, open) => {
  const intent = (callKey: string, sessionId: string): Intent => ({
    callKey,
    sessionId,
    runId: "run",
    toolCallId: "c1",
    toolName: "write",
    level: "local_state",
    digest: "sha256:x",
    startedAt: 5,
  });

  test("are kept in the transaction of a session's write, oldest first, and finished once", async () => {
    const { store, ledger } = await open();
    const { id } = await store.createSession({ member: "main", role: "main" });
    const lease = await store.acquireLease(id, { owner: "x", ttlMs: 1000 });
    await store.update(id, { lease, expectedRev: 0, join: (tx) => ledger.begin(tx, intent("k1", id)) });
    await store.update(id, { lease, expectedRev: 1, join: (tx) => ledger.begin(tx, intent("k2", id)) });
    await store.update(id, { lease, expectedRev: 2, join: (tx) => ledger.finish(tx, "k1", 9) });
    expect(await ledger.intentsOf(id)).toEqual([{ ...intent("k1", id), finishedAt: 9 }, intent("k2", id)]);
    expect(await ledger.intentsOf("other")).toEqual([]);
  });

  test("are not kept by a write that is refused", async () => {
    const { store, ledger } = await open();
    const { id } = await store.createSession({ member: "main", role: "main" });
    const lease = await store.acquireLease(id, { owner: "x", ttlMs: 1000 });
    const refused = store.update(id, {
      lease,
      expectedRev: 7,
      join: (tx) => ledger.begin(tx, intent("k1", id)),
    });
    await expect(refused).rejects.toMatchObject({ code: "revision_conflict" });
    expect(await ledger.intentsOf(id)).toEqual([]);
  });
});
