import { onAbort } from "@basis/core";
import { ChildPolicyError } from "./child-policy-error.ts";
import type { ActiveChild, DepthLedger } from "./depth-ledger.ts";

/** What a child does that finds every slot taken. */
export type WhenFull = "refuse" | "wait";

/** The places for children that run at once. */
export interface ChildSlots {
  /** @throws ChildPolicyError `concurrent_limit` when a child of this parent could neither start nor wait. */
  check(parentAgentId: string): void;
  /** Enters a child into the ledger, at once or, in order, when a slot is free. Rejects with the signal's reason. */
  take(child: ActiveChild, signal: AbortSignal | undefined): Promise<void>;
  /** Frees a child's slot and lets the next one in. */
  free(agentId: string): void;
}

interface Waiter {
  readonly child: ActiveChild;
  start(): void;
}

/** How slots are made. */
export interface ChildSlotsOptions {
  readonly maxConcurrent: number;
  readonly whenFull: WhenFull;
}

/**
 * Slots over a ledger: a child in the ledger holds one. Waiting is refused where it could not end:
 * when every running child waits for a slot or for a child of its own.
 */
export function createChildSlots(ledger: DepthLedger, options: ChildSlotsOptions): ChildSlots {
  const { maxConcurrent, whenFull } = options;
  const waiters = new Set<Waiter>();

  const someoneProgresses = (newWaiter: string): boolean => {
    const blocked = new Set([newWaiter]);
    for (const { child } of waiters) blocked.add(child.parentAgentId);
    for (const child of ledger.entries()) blocked.add(child.parentAgentId);
    return ledger.entries().some((child) => !blocked.has(child.agentId));
  };
  const isFree = (): boolean => ledger.size < maxConcurrent && waiters.size === 0;
  const check = (parentAgentId: string): void => {
    if (isFree() || (whenFull === "wait" && someoneProgresses(parentAgentId))) return;
    const running = ledger.size;
    throw new ChildPolicyError(
      "concurrent_limit",
      `${running} subagents are running and no more than ${maxConcurrent} may run at once; do it here or try again when one has finished`,
      { details: { running, maxConcurrent } },
    );
  };
  const wait = (child: ActiveChild, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      let stopWatching = (): void => undefined;
      const leave = (): void => {
        waiters.delete(waiter);
        stopWatching();
      };
      const start = (): void => {
        leave();
        ledger.add(child);
        resolve();
      };
      const waiter: Waiter = { child, start };
      waiters.add(waiter);
      if (signal === undefined) return;
      stopWatching = onAbort(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
    });

  return {
    check,
    async take(child, signal) {
      signal?.throwIfAborted();
      check(child.parentAgentId);
      if (isFree()) ledger.add(child);
      else await wait(child, signal);
    },
    free(agentId) {
      ledger.remove(agentId);
      const [next] = waiters;
      next?.start();
    },
  };
}
