import type { RemainingBudget } from "./child-context.ts";
import { agentActive, type ActiveChild } from "./depth-ledger.ts";
import {
  checkDepth,
  checkFloors,
  checkRun,
  closeRun,
  createLimitsState,
  openRun,
  remainingBudget,
  rootRun,
  type DelegationRequest,
  type LimitsState,
} from "./floors.ts";
import { limitsSettings, type DelegationLimitsOptions } from "./limits-options.ts";
import type { RunOpening } from "./run-accounts.ts";
import type { TokenPool } from "./token-pool.ts";

/** A delegation with the id of its child. */
export interface ChildEntry extends Pick<DelegationRequest, "runId" | "parentAgentId" | "goesOn"> {
  readonly childAgentId: string;
}

/** A running child's place. */
export interface ChildPass {
  readonly agentId: string;
  /** The child's own depth; 1 for a child of the root. */
  readonly depth: number;
  /** Gives the place back, however the child ended; a second call does nothing. */
  release(): void;
}

/** What may stop the wait for a place. */
export interface EnterOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The floors under every delegation: no spec, rule or approval lifts them. Each `check…` throws a `ChildPolicyError`
 * whose message the model can read, or does nothing; check for the preview and again at execution.
 */
export interface DelegationLimits {
  /** Every floor, in order: wall clock, depth, lifetime, tokens, concurrency. */
  check(request: DelegationRequest): void;
  /** @throws ChildPolicyError `depth_limit`. */
  checkDepth(parentAgentId: string): void;
  /** 0 for an agent that is no running child. */
  depthOf(agentId: string): number;
  /** What a policy is told that is left. */
  remaining(request: DelegationRequest): RemainingBudget;
  /**
   * Checks every floor again and takes a place. With `whenFull: "wait"` it waits for one, in order;
   * a wait that could never end is refused as `concurrent_limit`. Rejects with the signal's reason.
   */
  enter(entry: ChildEntry, options?: EnterOptions): Promise<ChildPass>;
  /** Runs `work` in a place that is given back however it ends. */
  withChild<T>(entry: ChildEntry, work: (pass: ChildPass) => Promise<T>, options?: EnterOptions): Promise<T>;
  /** Opens a run's account, with what it has behind it when it is resumed. A run nobody opened begins at its first use. */
  openRun(runId: string, opening?: RunOpening): void;
  /** Forgets a run's account: now, or when the last of its children has left. */
  closeRun(runId: string): void;
  /** The token pool that a run's whole tree draws from. */
  tokens(runId: string): TokenPool;
  /** The children that run now. */
  active(): readonly ActiveChild[];
}

/**
 * Makes the limits of one process.
 *
 * @throws ChildPolicyError `invalid_option`.
 */
export function createDelegationLimits(options: DelegationLimitsOptions = {}): DelegationLimits {
  const state = createLimitsState(limitsSettings(options));
  const { ledger, accounts } = state;
  const enter = createEntrance(state);
  return Object.freeze({
    check: (request) => checkFloors(state, request),
    checkDepth: (parentAgentId) => checkDepth(state, parentAgentId),
    depthOf: ledger.depthOf,
    remaining: (request) => remainingBudget(state, request),
    enter,
    async withChild(entry, work, enterOptions) {
      const pass = await enter(entry, enterOptions);
      try {
        return await work(pass);
      } finally {
        pass.release();
      }
    },
    openRun: (runId, opening = {}) => openRun(state, runId, opening),
    closeRun: (runId) => closeRun(state, runId),
    tokens: (runId) => accounts.of(runId).pool,
    active: ledger.entries,
  } satisfies DelegationLimits);
}

/** The way in: floors, a count in the run's account, a place. What fails on the way leaves nothing behind. */
function createEntrance(state: LimitsState): DelegationLimits["enter"] {
  const { ledger, accounts, arriving } = state;
  return async ({ runId: named, childAgentId: agentId, parentAgentId, goesOn = false }, { signal } = {}) => {
    signal?.throwIfAborted();
    checkFloors(state, { runId: named, parentAgentId, goesOn });
    if (arriving.has(agentId) || ledger.find(agentId)) throw agentActive(agentId);
    const runId = rootRun(state, { runId: named, parentAgentId });
    const account = accounts.of(runId);
    arriving.set(agentId, runId);
    const counts = goesOn ? 0 : 1;
    account.started += counts;
    try {
      const depth = ledger.depthOf(parentAgentId) + 1;
      return await takePlace(state, { agentId, parentAgentId, runId, depth }, signal);
    } catch (error) {
      account.started -= counts;
      throw error;
    } finally {
      arriving.delete(agentId);
      settleClosing(state, runId);
    }
  };
}

/** A run that was closed meanwhile is forgotten once none of its children is left. */
function settleClosing(state: LimitsState, runId: string): void {
  if (state.closing.has(runId)) closeRun(state, runId);
}

async function takePlace(
  state: LimitsState,
  child: ActiveChild,
  signal: AbortSignal | undefined,
): Promise<ChildPass> {
  const { agentId, depth, runId } = child;
  await state.slots.take(child, signal);
  let held = true;
  const release = (): void => {
    if (!held) return;
    held = false;
    state.slots.free(agentId);
    settleClosing(state, runId);
  };
  try {
    signal?.throwIfAborted();
    checkRun(state, runId);
    return Object.freeze({ agentId, depth, release });
  } catch (error) {
    release();
    throw error;
  }
}
