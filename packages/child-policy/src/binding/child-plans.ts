import type { ChildPlan } from "../child-plan.ts";

/** A child that was decided about and has not ended. */
export interface PlannedChild {
  readonly agentId: string;
  readonly plan: ChildPlan;
}

/** Most delegations kept between their question and their start. */
const MAX_KEPT = 1000;

interface KeptPlan {
  readonly plan: Promise<PlannedChild>;
  /** The child began, and waits for a person. */
  hasBegun: boolean;
}

/** The plans of delegations that have not ended: a policy is asked once for each, whoever looks first. */
export class ChildPlans {
  readonly #plans = new Map<string, KeptPlan>();

  /** The plan of this call, resolved now if nobody has looked yet. One that could not be made is made anew. */
  of(key: string, resolve: () => Promise<PlannedChild>): Promise<PlannedChild> {
    const kept = this.#plans.get(key);
    if (kept !== undefined) return kept.plan;
    const plan = resolve();
    this.#plans.set(key, { plan, hasBegun: false });
    plan.catch(() => this.#plans.delete(key));
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MAX_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }

  /** True for a child that began and waits: it goes on, and is counted already. */
  hasBegun(key: string): boolean {
    return this.#plans.get(key)?.hasBegun === true;
  }

  wait(key: string): void {
    const kept = this.#plans.get(key);
    if (kept !== undefined) kept.hasBegun = true;
  }

  end(key: string): void {
    this.#plans.delete(key);
  }
}
