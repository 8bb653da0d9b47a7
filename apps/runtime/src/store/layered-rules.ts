import type { RuleStore, StoredRule } from "@basis/approval";

/** Rules of this process beside rules that are kept: what holds for the process alone never reaches the kept ones. */
export function layeredRules(own: RuleStore, kept: RuleStore): RuleStore {
  const both = async (
    ask: (store: RuleStore) => readonly StoredRule[] | Promise<readonly StoredRule[]>,
  ): Promise<readonly StoredRule[]> => {
    const lasting = await ask(kept);
    const passing = await ask(own);
    return passing.length === 0 ? lasting : [...passing, ...lasting];
  };
  return {
    find: (query) => both((store) => store.find(query)),
    list: (filter) => both((store) => store.list(filter)),
    add: (rule) => (rule.scope === "process" ? own : kept).add(rule),
    revoke: async (ruleId) => (await own.revoke(ruleId)) || kept.revoke(ruleId),
  };
}
