import { newId, systemClock, type Clock } from "@basis/core";
import { frozenJson } from "./frozen-json.ts";
import { byRank } from "./rule-rank.ts";
import {
  checkRule,
  defaultRuleTools,
  type ApprovalRule,
  type RuleScope,
  type RuleTools,
  type StoredRule,
} from "./rule.ts";
import type { MaybePromise } from "./store-patience.ts";

/** Which rules could hold for a call. A store may answer with more; the gate judges each again. */
export interface RuleQuery {
  readonly toolName: string;
  readonly sessionId?: string | undefined;
  readonly workspace?: string | undefined;
}

/** What `list` is narrowed to; absent means any. */
export interface RuleFilter {
  readonly toolName?: string | undefined;
  readonly scope?: RuleScope | undefined;
  readonly within?: string | undefined;
}

/** Where remembered rules live. A store may be synchronous; one that fails denies. */
export interface RuleStore {
  /**
   * The rules for one tool that hold in this session and workspace, in any order. A list that is frozen, with its rules,
   * is sorted once and judged by what a call has in common with them; of any other list every rule is looked at.
   */
  find(query: RuleQuery): MaybePromise<readonly StoredRule[]>;
  /** Keeps a rule under a new id. */
  add(rule: ApprovalRule): MaybePromise<StoredRule>;
  list(filter?: RuleFilter): MaybePromise<readonly StoredRule[]>;
  /** Removes a rule for good; false when there is none of this id. */
  revoke(ruleId: string): MaybePromise<boolean>;
}

/** A synchronous `RuleStore`. */
export interface MemoryRuleStore extends RuleStore {
  find(query: RuleQuery): readonly StoredRule[];
  add(rule: ApprovalRule): StoredRule;
  list(filter?: RuleFilter): readonly StoredRule[];
  revoke(ruleId: string): boolean;
}

/** How a memory store is made. */
export interface MemoryRuleStoreOptions {
  readonly rules?: readonly ApprovalRule[] | undefined;
  readonly tools?: RuleTools | undefined;
  readonly clock?: Clock | undefined;
}

/** The same list for every tool without rules, so that it is looked through once. */
const NO_RULES: readonly StoredRule[] = Object.freeze([]);

/**
 * Rules in memory, lost with the process.
 *
 * @throws ApprovalError `invalid_rule` or `command_wildcard`, here and from `add`.
 */
export function memoryRuleStore(options: MemoryRuleStoreOptions = {}): MemoryRuleStore {
  const { rules = [], tools = defaultRuleTools, clock = systemClock } = options;
  const byTool = new Map<string, Map<string, StoredRule>>();
  /** The lists that `find` gives away, until a rule of the tool comes or goes. */
  const found = new Map<string, readonly StoredRule[]>();

  const add = (rule: ApprovalRule): StoredRule => {
    checkRule(rule, tools);
    const nowMs = clock.now();
    const stored = frozenJson({ ...rule, id: newId(nowMs), createdAt: nowMs });
    const ofTool = byTool.get(rule.toolName) ?? new Map<string, StoredRule>();
    byTool.set(rule.toolName, ofTool.set(stored.id, stored));
    found.delete(rule.toolName);
    return stored;
  };
  const all = (): StoredRule[] => [...byTool.values()].flatMap((ofTool) => [...ofTool.values()]);

  for (const rule of rules) add(rule);
  return {
    find({ toolName }) {
      const known = found.get(toolName);
      if (known !== undefined) return known;
      const ofTool = byTool.get(toolName);
      if (ofTool === undefined) return NO_RULES;
      const list = Object.freeze([...ofTool.values()]);
      found.set(toolName, list);
      return list;
    },
    add,
    list: (filter = {}) => all().filter((rule) => fits(rule, filter)),
    revoke(ruleId) {
      for (const [toolName, ofTool] of byTool) {
        if (!ofTool.delete(ruleId)) continue;
        found.delete(toolName);
        return true;
      }
      return false;
    },
  };
}

/** Rules as a file may hold them. */
export interface RuleExport {
  readonly schema: 1;
  readonly rules: readonly StoredRule[];
}

/** Everything a store holds, in an order that does not depend on when the rules were made. */
export async function exportRules(store: RuleStore, filter: RuleFilter = {}): Promise<RuleExport> {
  return { schema: 1, rules: (await store.list(filter)).toSorted(byRank) };
}

/**
 * Copies a session's denials to another session, as a fork does; allows stay behind.
 * Answers the copies.
 */
export async function copyDenials(
  store: RuleStore,
  sessions: { readonly from: string; readonly to: string },
): Promise<readonly StoredRule[]> {
  const copies: StoredRule[] = [];
  for (const rule of await store.list({ scope: "session", within: sessions.from })) {
    if (rule.effect === "allow") continue;
    const { id: _id, createdAt: _createdAt, ...denial } = rule;
    copies.push(await store.add({ ...denial, within: sessions.to }));
  }
  return copies;
}

function fits(rule: StoredRule, filter: RuleFilter): boolean {
  if (filter.toolName !== undefined && rule.toolName !== filter.toolName) return false;
  if (filter.scope !== undefined && rule.scope !== filter.scope) return false;
  return filter.within === undefined || rule.within === filter.within;
}
