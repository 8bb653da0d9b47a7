import type { ChildPlan } from "../child-plan.ts";

/** A child that was decided about and has not ended. */
export interface PlannedChild {
  readonly agentId: string;
  readonly plan: ChildPlan;
}

/** Most delegations kept between their question and their start. */
const MAX_KEPT = 1000;

/** The plans of delegations that have not ended: a policy is asked once for each, whoever looks first. */
export class ChildPlans {
  readonly #plans = new Map<string, Promise<PlannedChild>>();

  /** The plan of this call, resolved now if nobody has looked yet. One that could not be made is made anew. */
  of(key: string, resolve: () => Promise<PlannedChild>): Promise<PlannedChild> {
    const kept = this.#plans.get(key);
    if (kept !== undefined) return kept;
    const plan = resolve();
    this.#plans.set(key, plan);
    plan.catch(() => this.#plans.delete(key));
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MAX_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }

  end(key: string): void {
    this.#plans.delete(key);
  }
}
