import { copyDenials, exportRules, type RuleStore } from "../rule-store.ts";
import type { ApprovalRule } from "../rule.ts";
import type { StoreCase } from "./approval-store-cases.ts";
import { expectEqual, expectRefusal } from "./expect.ts";

const rule: ApprovalRule = {
  toolName: "write",
  pattern: { fields: { path: "src/*", options: { equals: { mode: 420 } } } },
  effect: "allow",
  scope: "session",
  within: "session-1",
  agent: "main",
  toolIdentity: "sha256:tool",
  expiresAt: 2_000_000,
  reason: "because",
};

/** What every `RuleStore` must do, for any test runner: make an empty store for each case and run it. */
export const ruleStoreCases: readonly StoreCase<RuleStore>[] = [
  {
    name: "keeps every fact of a rule and finds it by its tool",
    async run(store) {
      const added = await store.add(rule);
      const [found] = await store.find({ toolName: "write", sessionId: "session-1" });
      const { id: _id, createdAt: _createdAt, ...facts } = found!;
      expectEqual(facts, rule);
      expectEqual(found?.id, added.id);
      expectEqual(await store.find({ toolName: "constructor" }), []);
    },
  },
  {
    name: "refuses a rule that means nothing",
    async run(store) {
      await expectRefusal(async () => store.add({ ...rule, effect: "maybe" as never }));
      await expectRefusal(async () => store.add({ ...rule, toolName: "run", pattern: undefined }));
      expectEqual(await store.list(), []);
    },
  },
  {
    name: "lists by tool, scope and place",
    async run(store) {
      await store.add(rule);
      await store.add({ toolName: "read", effect: "deny", scope: "global" });
      expectEqual((await store.list()).length, 2);
      expectEqual((await store.list({ toolName: "read" })).length, 1);
      expectEqual((await store.list({ scope: "session", within: "session-1" })).length, 1);
      expectEqual((await store.list({ within: "session-2" })).length, 0);
    },
  },
  {
    name: "revokes a rule once and for good",
    async run(store) {
      const { id } = await store.add(rule);
      expectEqual(await store.revoke(id), true);
      expectEqual(await store.revoke(id), false);
      expectEqual(await store.find({ toolName: "write", sessionId: "session-1" }), []);
    },
  },
  {
    name: "exports in an order that does not depend on when rules were made",
    async run(store) {
      await store.add({ toolName: "write", effect: "deny", scope: "global" });
      await store.add(rule);
      const { schema, rules } = await exportRules(store);
      expectEqual(schema, 1);
      expectEqual(
        rules.map((entry) => entry.scope),
        ["session", "global"],
      );
    },
  },
  {
    name: "copies a session's denials to another session and leaves its allows behind",
    async run(store) {
      await store.add(rule);
      await store.add({ ...rule, effect: "deny" });
      expectEqual((await copyDenials(store, { from: "session-1", to: "session-2" })).length, 1);
      const copied = await store.list({ within: "session-2" });
      expectEqual(
        copied.map((entry) => entry.effect),
        ["deny"],
      );
    },
  },
];
