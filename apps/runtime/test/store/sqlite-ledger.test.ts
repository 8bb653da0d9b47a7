import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAll, createApprovalGate, denyAll } from "@basis/approval";
import { describe, expect, onTestFinished, test } from "vitest";
import { openState } from "../../src/store/open-state.ts";

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
