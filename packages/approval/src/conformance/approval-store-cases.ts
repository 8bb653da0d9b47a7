import type { ApprovalRecord } from "../approval-record.ts";
import type { ApprovalStore } from "../approval-store.ts";
import { expectEqual, expectRefusal } from "./expect.ts";

/** One thing a store must do. `run` throws when this store, empty at the start, does not. */
export interface StoreCase<Store> {
  readonly name: string;
  run(store: Store): Promise<void>;
}

const AT = 1_000_000;

function record(approvalId: string, change: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    approvalId,
    callKey: "call-1",
    agentId: "main",
    toolName: "write",
    input: { path: "a.txt", lines: [1, null, true] },
    sideEffectLevel: "local_state",
    sessionId: "session-1",
    digest: "sha256:one",
    state: "open",
    createdAt: AT,
    expiresAt: AT + 1000,
    ...change,
  };
}

const allow = { decision: "allow", by: "operator", at: AT + 1 } as const;
const use = { callKey: "call-1", digest: "sha256:one", at: AT + 2 };

/** What every `ApprovalStore` must do, for any test runner: make an empty store for each case and run it. */
export const approvalStoreCases: readonly StoreCase<ApprovalStore>[] = [
  {
    name: "gives a record back as it was put, and nothing for an unknown id",
    async run(store) {
      await store.put(record("a"));
      expectEqual(await store.get("a"), record("a"));
      expectEqual(await store.get("constructor"), undefined);
    },
  },
  {
    name: "refuses a second record of one id",
    async run(store) {
      await store.put(record("a"));
      await expectRefusal(async () => store.put(record("a", { digest: "sha256:two" })));
      expectEqual((await store.get("a"))?.digest, "sha256:one");
    },
  },
  {
    name: "lists by call, session and state, the oldest first",
    async run(store) {
      await store.put(record("a"));
      await store.put(record("b", { createdAt: AT + 1 }));
      await store.put(record("c", { callKey: "call-2", sessionId: "session-2", createdAt: AT + 2 }));
      await store.resolve("b", allow);
      const ids = async (filter: object): Promise<string[]> =>
        (await store.list(filter)).map((entry) => entry.approvalId);
      expectEqual(await ids({}), ["a", "b", "c"]);
      expectEqual(await ids({ callKey: "call-1" }), ["a", "b"]);
      expectEqual(await ids({ sessionId: "session-2" }), ["c"]);
      expectEqual(await ids({ state: "allowed" }), ["b"]);
    },
  },
  {
    name: "takes one answer for an open question, and none for a stale id",
    async run(store) {
      await store.put(record("a"));
      expectEqual((await store.resolve("a", allow)).ok, true);
      expectEqual(await store.resolve("a", { ...allow, decision: "deny" }), {
        ok: false,
        problem: "resolved",
      });
      expectEqual(await store.resolve("gone", allow), { ok: false, problem: "unknown" });
      expectEqual((await store.get("a"))?.resolution, allow);
    },
  },
  {
    name: "takes no answer and redeems nothing from the moment of expiry on",
    async run(store) {
      await store.put(record("a"));
      expectEqual(await store.resolve("a", { ...allow, at: AT + 1000 }), { ok: false, problem: "expired" });
      expectEqual((await store.resolve("a", allow)).ok, true);
      expectEqual(await store.redeem({ ...use, at: AT + 1000 }), { ok: false, problem: "expired" });
      expectEqual((await store.redeem({ ...use, at: AT + 999 })).ok, true);
    },
  },
  {
    name: "redeems an allowed call once, and only with its digest",
    async run(store) {
      await store.put(record("a"));
      expectEqual(await store.redeem(use), { ok: false, problem: "open" });
      await store.resolve("a", allow);
      expectEqual(await store.redeem({ ...use, digest: "sha256:two" }), { ok: false, problem: "changed" });
      expectEqual(await store.redeem({ ...use, callKey: "call-9" }), { ok: false, problem: "unknown" });
      expectEqual((await store.redeem(use)).ok, true);
      expectEqual(await store.redeem(use), { ok: false, problem: "redeemed" });
      expectEqual((await store.get("a"))?.state, "redeemed");
      expectEqual(await store.resolve("a", allow), { ok: false, problem: "redeemed" });
    },
  },
  {
    name: "never redeems a denied call",
    async run(store) {
      await store.put(record("a"));
      await store.resolve("a", { ...allow, decision: "deny", reason: "no" });
      expectEqual(await store.redeem(use), { ok: false, problem: "denied" });
    },
  },
  {
    name: "redeems the newest question of a call and not an older one",
    async run(store) {
      await store.put(record("a"));
      await store.resolve("a", allow);
      await store.put(record("b", { digest: "sha256:two", createdAt: AT + 1 }));
      expectEqual(await store.redeem(use), { ok: false, problem: "open" });
      await store.resolve("b", allow);
      expectEqual(await store.redeem(use), { ok: false, problem: "changed" });
      expectEqual((await store.redeem({ ...use, digest: "sha256:two" })).ok, true);
    },
  },
  {
    name: "lets one of many racing redemptions through",
    async run(store) {
      await store.put(record("a"));
      await store.resolve("a", allow);
      const results = await Promise.all(Array.from({ length: 20 }, async () => store.redeem(use)));
      expectEqual(results.filter((result) => result.ok).length, 1);
    },
  },
];
