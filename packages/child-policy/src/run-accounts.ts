import { ChildPolicyError } from "./child-policy-error.ts";
import { count, type LimitsSettings } from "./limits-options.ts";
import { createTokenPool, type TokenPool } from "./token-pool.ts";

/** What a run has behind it when it is resumed, and what it may use if not the common limits. */
export interface RunOpening {
  /** Children its tree started before. Default 0. */
  readonly started?: number | undefined;
  /** Tokens its tree used before. Default 0. */
  readonly tokensUsed?: number | undefined;
  /** In place of `maxTokens`. */
  readonly maxTokens?: number | undefined;
  /** How long it ran before. Default 0. */
  readonly elapsedMs?: number | undefined;
}

/** What one run's whole tree has used. */
export interface RunAccount {
  started: number;
  readonly pool: TokenPool;
  elapsedMs(): number;
}

/** The accounts of the runs in flight, by the id of the run at the root. */
export interface RunAccounts {
  /** @throws ChildPolicyError `invalid_option` when the run is open already. */
  open(runId: string, opening: RunOpening): RunAccount;
  close(runId: string): void;
  /** The run's account; a run nobody opened begins now. */
  of(runId: string): RunAccount;
}

/** No accounts yet. */
export function createRunAccounts(settings: LimitsSettings): RunAccounts {
  const accounts = new Map<string, RunAccount>();
  const { clock } = settings;
  const open = (runId: string, opening: RunOpening): RunAccount => {
    if (accounts.has(runId)) {
      throw new ChildPolicyError("invalid_option", `the run '${runId}' is open already`, {
        details: { option: "runId", problem: "is open already" },
      });
    }
    const { started = 0, tokensUsed = 0, maxTokens = settings.maxTokens, elapsedMs = 0 } = opening;
    const beganMs = clock.monotonicMs() - count("elapsedMs", elapsedMs, 0);
    const account: RunAccount = {
      started: count("started", started, 0),
      pool: createTokenPool(count("maxTokens", maxTokens, 0), count("tokensUsed", tokensUsed, 0)),
      elapsedMs: () => clock.monotonicMs() - beganMs,
    };
    accounts.set(runId, account);
    return account;
  };
  return {
    open,
    close: (runId) => void accounts.delete(runId),
    of: (runId) => accounts.get(runId) ?? open(runId, {}),
  };
}
