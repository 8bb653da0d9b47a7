import { describe, expect, it } from "vitest";
import { approvalStoreCases, ruleStoreCases } from "../src/conformance/index.ts";
import {
  memoryApprovalStore,
  memoryRuleStore,
  type ApprovalStore,
  type MemoryRuleStore,
  type RuleStore,
} from "../src/index.ts";

describe("memoryApprovalStore", () => {
  it.each(approvalStoreCases)("$name", async (storeCase) => {
    await expect(storeCase.run(memoryApprovalStore())).resolves.toBeUndefined();
  });
});

describe("memoryRuleStore", () => {
  it.each(ruleStoreCases)("$name", async (storeCase) => {
    await expect(storeCase.run(memoryRuleStore())).resolves.toBeUndefined();
  });
});

/** The cases a store fails. */
async function failures<Store>(
  cases: readonly { name: string; run(store: Store): Promise<void> }[],
  make: () => Store,
): Promise<number> {
  let failed = 0;
  for (const storeCase of cases) await storeCase.run(make()).catch(() => (failed += 1));
  return failed;
}

describe("the cases", () => {
  it("bite a store that redeems twice", async () => {
    const wrong = (): ApprovalStore => {
      const store = memoryApprovalStore();
      return {
        ...store,
        redeem: (use) => ({ ok: store.list({ callKey: use.callKey }).length > 0 }) as never,
      };
    };
    expect(await failures(approvalStoreCases, wrong)).toBeGreaterThan(2);
  });

  it("bite a store that reads and writes in two steps", async () => {
    const wrong = (): ApprovalStore => {
      const store = memoryApprovalStore();
      const redeem: ApprovalStore["redeem"] = async (use) => {
        const live = store.list({ callKey: use.callKey, state: "allowed" }).length > 0;
        await Promise.resolve();
        return live ? (store.redeem(use), { ok: true }) : store.redeem(use);
      };
      return { ...store, redeem };
    };
    expect(await failures(approvalStoreCases, wrong)).toBeGreaterThan(0);
  });

  it("bite a rule store that does not revoke", async () => {
    const wrong = (): RuleStore => ({ ...memoryRuleStore(), revoke: () => true }) satisfies MemoryRuleStore;
    expect(await failures(ruleStoreCases, wrong)).toBe(1);
  });
});
