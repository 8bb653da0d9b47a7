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
  const layered = (passing: readonly StoredRule[], lasting: readonly StoredRule[]): readonly StoredRule[] =>
    passing.length === 0 ? lasting : join(passing, lasting);
  /** Stores that answer at once are answered for at once: a gate needs no deadline for them. */
  const both = (ask: (store: RuleStore) => Rules | Promise<Rules>): Rules | Promise<Rules> => {
    const lasting = ask(kept);
    const passing = ask(own);
    if (isList(lasting) && isList(passing)) return layered(passing, lasting);
    return Promise.all([passing, lasting]).then(([first, second]) => layered(first, second));
  };
  return {
    find: (query) => both((store) => store.find(query)),
    list: (filter) => both((store) => store.list(filter)),
    add: (rule) => (rule.scope === "process" ? own : kept).add(rule),
    revoke: async (ruleId) => (await own.revoke(ruleId)) || kept.revoke(ruleId),
  };
}

type Rules = readonly StoredRule[];

function isList(found: Rules | Promise<Rules>): found is Rules {
  return Array.isArray(found);
}

interface Joined {
  readonly passing: readonly StoredRule[];
  readonly both: readonly StoredRule[];
}
