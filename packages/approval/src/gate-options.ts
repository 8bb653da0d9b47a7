import { systemClock, type Clock } from "@basis/core";
import { ApprovalError } from "./approval-error.ts";
import { memoryApprovalStore, type ApprovalStore } from "./approval-store.ts";
import type { Approver } from "./approver.ts";
import type { CommandJudge } from "./command-judge.ts";
import { memoryRuleStore, type RuleStore } from "./rule-store.ts";
import { defaultRuleTools, type ApprovalRule, type RuleTools } from "./rule.ts";

/** How a gate is made. */
export interface ApprovalGateOptions {
  /** Who decides what no rule decides. */
  readonly approver: Approver;
  /** A store, or rules to keep in memory. Default: none. */
  readonly rules?: RuleStore | readonly ApprovalRule[] | undefined;
  /** Where parked questions live. Default: in memory. */
  readonly store?: ApprovalStore | undefined;
  /** What happens to a call that nothing decides: `approve` asks the approver (default), `park` parks at once. */
  readonly onAsk?: "approve" | "park" | undefined;
  readonly clock?: Clock | undefined;
  /** How long the approver may take. Default 600,000; `Infinity` waits for ever. */
  readonly approverTimeoutMs?: number | undefined;
  /** How long a store that answers with a promise may take. Default 5,000. */
  readonly storeTimeoutMs?: number | undefined;
  /** How long an allow can be redeemed. Default 600,000. */
  readonly grantTtlMs?: number | undefined;
  /** How long a parked question stays open. Default 86,400,000 (a day). */
  readonly parkTtlMs?: number | undefined;
  /** Which tools run commands, and which may have whole-text patterns. */
  readonly tools?: RuleTools | undefined;
  /** Who reads commands for rules by words, from `@basis/approval/commands`. Absent: such a rule never allows. */
  readonly commands?: CommandJudge | undefined;
}

/** The options with every default in place. */
export interface GateSettings {
  readonly approver: Approver;
  readonly rules: RuleStore;
  readonly store: ApprovalStore;
  readonly onAsk: "approve" | "park";
  readonly clock: Clock;
  readonly approverTimeoutMs: number;
  readonly storeTimeoutMs: number;
  readonly grantTtlMs: number;
  readonly parkTtlMs: number;
  readonly tools: RuleTools;
  readonly commands: CommandJudge | undefined;
}

/** The longest delay a timer can keep. */
const MAX_DELAY_MS = 2_147_483_647;

/**
 * Fills in defaults.
 *
 * @throws ApprovalError `invalid_option`; `invalid_rule` or `command_wildcard` for a rule in `rules`.
 */
export function gateSettings(options: ApprovalGateOptions): GateSettings {
  const { approver, rules = [], onAsk = "approve", clock = systemClock, tools = defaultRuleTools } = options;
  if (typeof approver?.approve !== "function") throw invalid("approver", "has no approve method");
  if (onAsk !== "approve" && onAsk !== "park") throw invalid("onAsk", "is neither approve nor park");
  return {
    approver,
    rules: isRuleList(rules) ? memoryRuleStore({ rules, tools, clock }) : rules,
    store: options.store ?? memoryApprovalStore(),
    onAsk,
    clock,
    tools,
    commands: options.commands,
    ...durations(options),
  };
}

function durations(options: ApprovalGateOptions): Pick<GateSettings, `${string}Ms` & keyof GateSettings> {
  const {
    approverTimeoutMs = 600_000,
    storeTimeoutMs = 5000,
    grantTtlMs = 600_000,
    parkTtlMs = 86_400_000,
  } = options;
  return {
    approverTimeoutMs:
      approverTimeoutMs === Infinity ? Infinity : duration("approverTimeoutMs", approverTimeoutMs),
    storeTimeoutMs: duration("storeTimeoutMs", storeTimeoutMs),
    grantTtlMs: duration("grantTtlMs", grantTtlMs),
    parkTtlMs: duration("parkTtlMs", parkTtlMs),
  };
}

function isRuleList(rules: RuleStore | readonly ApprovalRule[]): rules is readonly ApprovalRule[] {
  return Array.isArray(rules);
}

function duration(option: string, ms: number): number {
  if (Number.isSafeInteger(ms) && ms > 0 && ms <= MAX_DELAY_MS) return ms;
  throw invalid(option, `must be whole milliseconds from 1 to ${MAX_DELAY_MS}`);
}

function invalid(option: string, problem: string): ApprovalError {
  return new ApprovalError("invalid_option", `the gate's ${option} ${problem}`, {
    details: { option, problem },
  });
}
