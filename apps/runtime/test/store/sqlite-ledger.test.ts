import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
