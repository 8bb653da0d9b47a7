import { ChildPolicyError } from "./child-policy-error.ts";

/** A child that runs or waits to run. */
export interface ActiveChild {
  readonly agentId: string;
  readonly parentAgentId: string;
  /** The run at the root of the tree. */
  readonly runId: string;
  /** 1 for a child of the root. */
  readonly depth: number;
}

/** Who runs below whom, by agent id. Agents it does not know are roots, at depth 0. */
export interface DepthLedger {
  readonly size: number;
  find(agentId: string): ActiveChild | undefined;
  depthOf(agentId: string): number;
  /** @throws ChildPolicyError `agent_active` when the id is taken. */
  add(child: ActiveChild): void;
  remove(agentId: string): void;
  entries(): readonly ActiveChild[];
}

/** An empty ledger. */
export function createDepthLedger(): DepthLedger {
  const children = new Map<string, ActiveChild>();
  return {
    get size() {
      return children.size;
    },
    find: (agentId) => children.get(agentId),
    depthOf: (agentId) => children.get(agentId)?.depth ?? 0,
    add(child) {
      const { agentId } = child;
      if (children.has(agentId)) throw agentActive(agentId);
      children.set(agentId, Object.freeze({ ...child }));
    },
    remove: (agentId) => void children.delete(agentId),
    entries: () => [...children.values()],
  };
}

/** The refusal of a second child with a running one's id. */
export function agentActive(agentId: string): ChildPolicyError<"agent_active"> {
  return new ChildPolicyError("agent_active", `a child '${agentId}' is running already`, {
    details: { agentId },
  });
}
