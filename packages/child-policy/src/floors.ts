import type { RemainingBudget } from "./child-context.ts";
import { ChildPolicyError } from "./child-policy-error.ts";
import { createChildSlots, type ChildSlots } from "./child-slots.ts";
import { createDepthLedger, type DepthLedger } from "./depth-ledger.ts";
import type { LimitsSettings } from "./limits-options.ts";
import { createRunAccounts, type RunAccounts, type RunOpening } from "./run-accounts.ts";

/** A delegation that is about to happen. */
export interface DelegationRequest {
  /** The run at the root of the tree. A parent that is itself a running child keeps the root it was entered with. */
  readonly runId: string;
  readonly parentAgentId: string;
  /** A `command` is under no floor of delegation. Default `agent`. */
  readonly mode?: "command" | "agent" | undefined;
  /** The child began in an earlier run of the tree and waited since: it is among the `started` that the account was opened with. */
  readonly goesOn?: boolean | undefined;
}

/** What the limits of one process count on. */
export interface LimitsState {
  readonly settings: LimitsSettings;
  readonly ledger: DepthLedger;
  readonly slots: ChildSlots;
  readonly accounts: RunAccounts;
  /** Children on their way in, each with its root run. */
  readonly arriving: Map<string, string>;
  /** Runs that are closed while children of theirs still run: their accounts count until the last has left. */
  readonly closing: Set<string>;
}

/** Counters at zero. */
export function createLimitsState(settings: LimitsSettings): LimitsState {
  const ledger = createDepthLedger();
  return {
    settings,
    ledger,
    slots: createChildSlots(ledger, settings),
    accounts: createRunAccounts(settings),
    arriving: new Map(),
    closing: new Set(),
  };
}

/** The run whose account a delegation draws on: a running child's root, whatever run it names itself. */
export function rootRun(state: LimitsState, request: DelegationRequest): string {
  return state.ledger.find(request.parentAgentId)?.runId ?? request.runId;
}

/** Forgets a run's account, now or with the last of its children. */
export function closeRun(state: LimitsState, runId: string): void {
  const { ledger, accounts, arriving, closing } = state;
  const busy =
    ledger.entries().some((child) => child.runId === runId) || [...arriving.values()].includes(runId);
  if (busy) {
    closing.add(runId);
    return;
  }
  closing.delete(runId);
  accounts.close(runId);
}

/** Opens a run's account; one that waits only for its last children gives way. */
export function openRun(state: LimitsState, runId: string, opening: RunOpening): void {
  if (state.closing.delete(runId)) state.accounts.close(runId);
  state.accounts.open(runId, opening);
}

/** Every floor, in order; throws at the first that does not hold. */
export function checkFloors(state: LimitsState, request: DelegationRequest): void {
  if (request.mode === "command") return;
  const runId = rootRun(state, request);
  checkRun(state, runId);
  checkDepth(state, request.parentAgentId);
  const { started } = state.accounts.of(runId);
  const { maxPerRun } = state.settings;
  if (!request.goesOn && started >= maxPerRun) {
    throw new ChildPolicyError(
      "lifetime_limit",
      `this run has started ${started} subagents and may start no more than ${maxPerRun}; do the rest here`,
      { details: { started, maxPerRun } },
    );
  }
  state.slots.check(request.parentAgentId);
}

/** The depth floor alone. */
export function checkDepth({ ledger, settings }: LimitsState, parentAgentId: string): void {
  const depth = ledger.depthOf(parentAgentId);
  const { maxDepth } = settings;
  if (depth < maxDepth) return;
  throw new ChildPolicyError(
    "depth_limit",
    `this work is already ${depth} levels of delegation deep and spawn goes no deeper than ${maxDepth}; ` +
      "do it here rather than handing it on",
    { details: { depth, maxDepth } },
  );
}

/** The floors that time and tokens set; they may give way while a child waits for its place. */
export function checkRun({ accounts, settings }: LimitsState, runId: string): void {
  const account = accounts.of(runId);
  const elapsedMs = account.elapsedMs();
  const { maxWallClockMs: limitMs } = settings;
  if (elapsedMs >= limitMs) {
    throw new ChildPolicyError(
      "wall_clock",
      `this run has taken ${Math.round(elapsedMs)}ms and delegates no more after ${limitMs}ms; finish with what is there`,
      { details: { elapsedMs, limitMs } },
    );
  }
  account.pool.check();
}

/** What is left for a delegation; absent where nothing limits it. */
export function remainingBudget(state: LimitsState, request: DelegationRequest): RemainingBudget {
  const { ledger, settings } = state;
  const account = state.accounts.of(rootRun(state, request));
  const left = {
    levels: settings.maxDepth - ledger.depthOf(request.parentAgentId),
    concurrent: settings.maxConcurrent - ledger.size,
    children: settings.maxPerRun - account.started + (request.goesOn ? 1 : 0),
    tokens: account.pool.remaining,
    wallClockMs: settings.maxWallClockMs - account.elapsedMs(),
  };
  const limited = Object.entries(left).filter(([, value]) => Number.isFinite(value));
  return Object.freeze(Object.fromEntries(limited.map(([name, value]) => [name, Math.max(0, value)])));
}
