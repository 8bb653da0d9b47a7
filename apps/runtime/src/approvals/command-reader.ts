import type { CommandJudge, CommandView, RuleStore, StoredRule } from "@basis/approval";
import type { CommandRulesOptions } from "@basis/approval/commands";

/** Reads commands for a gate once there is a rule that needs it: the parser is loaded by the first. */
export interface CommandReader {
  /** For the gate's `commands`. */
  readonly judge: CommandJudge;
  /** The same rules; a list that holds one by words is answered once commands can be read. */
  over(rules: RuleStore): RuleStore;
}

/** Makes a reader that has loaded nothing yet. One that cannot be loaded allows nothing by words and denies. */
export function commandReader(options: CommandRulesOptions): CommandReader {
  let judge: CommandJudge | undefined;
  let loading: Promise<void> | undefined;
  let problem = "commands cannot be read yet";
  const load = async (): Promise<void> => {
    try {
      const { openCommandRules } = await import("@basis/approval/commands");
      judge = await openCommandRules(options);
    } catch (error) {
      problem = (error as Error).message;
    }
  };
  /** At once, unless a list is the first to need the parser. */
  const ready = (found: readonly StoredRule[]): readonly StoredRule[] | Promise<readonly StoredRule[]> =>
    judge === undefined && found.some(isByWords) ? (loading ??= load()).then(() => found) : found;
  return {
    judge: { view: (call) => judge?.view(call) ?? unreadable(problem) },
    over: (rules) => ({
      add: (rule) => rules.add(rule),
      list: (filter) => rules.list(filter),
      revoke: (ruleId) => rules.revoke(ruleId),
      find(query) {
        const found = rules.find(query);
        return isList(found) ? ready(found) : found.then(ready);
      },
    }),
  };
}

function isList(
  found: readonly StoredRule[] | Promise<readonly StoredRule[]>,
): found is readonly StoredRule[] {
  return Array.isArray(found);
}

function isByWords({ pattern }: StoredRule): boolean {
  return typeof pattern === "object" && pattern !== null && "command" in pattern;
}

function unreadable(problem: string): CommandView {
  return { problem, coveredBy: () => undefined, mayMatch: () => true };
}
