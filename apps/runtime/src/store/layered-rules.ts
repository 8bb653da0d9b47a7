import type { RuleStore, StoredRule } from "@basis/approval";

/** Rules of this process beside rules that are kept: what holds for the process alone never reaches the kept ones. */
export function layeredRules(own: RuleStore, kept: RuleStore): RuleStore {
  /** Lists that were joined, so that as long as neither changes the index of both is the same, too. */
  const joined = new WeakMap<readonly StoredRule[], Joined>();
  const join = (passing: readonly StoredRule[], lasting: readonly StoredRule[]): readonly StoredRule[] => {
    const known = joined.get(lasting);
    if (known?.passing === passing) return known.both;
    const both = Object.freeze([...passing, ...lasting]);
    if (Object.isFrozen(passing) && Object.isFrozen(lasting)) joined.set(lasting, { passing, both });
    return both;
  };
  const both = async (
    ask: (store: RuleStore) => readonly StoredRule[] | Promise<readonly StoredRule[]>,
  ): Promise<readonly StoredRule[]> => {
    const lasting = await ask(kept);
    const passing = await ask(own);
    return passing.length === 0 ? lasting : join(passing, lasting);
  };
  return {
    find: (query) => both((store) => store.find(query)),
    list: (filter) => both((store) => store.list(filter)),
    add: (rule) => (rule.scope === "process" ? own : kept).add(rule),
    revoke: async (ruleId) => (await own.revoke(ruleId)) || kept.revoke(ruleId),
  };
}

interface Joined {
  readonly passing: readonly StoredRule[];
  readonly both: readonly StoredRule[];
}
