import type { HookEvent } from "./hook-request.ts";
import { matchesTool } from "./participant-filter.ts";
import type { Seat } from "./seat.ts";

/** Names come from a model, so there may be any number of them. */
const MAX_CACHED_NAMES = 512;

/** Which seats of a chain an event and a tool name concern; worked out once for each name. */
export class PlanCache {
  readonly #seats: readonly Seat[];
  readonly #plans: Readonly<Record<HookEvent, Map<string, readonly Seat[]>>> = {
    pre_tool_use: new Map(),
    post_tool_use: new Map(),
  };

  constructor(seats: readonly Seat[]) {
    this.#seats = seats;
  }

  planFor(event: HookEvent, toolName: string): readonly Seat[] {
    const plans = this.#plans[event];
    let plan = plans.get(toolName);
    if (plan === undefined) {
      plan = this.#seats.filter((seat) => seat.events.includes(event) && matchesTool(seat.tools, toolName));
      if (plans.size >= MAX_CACHED_NAMES) plans.clear();
      plans.set(toolName, plan);
    }
    return plan;
  }
}
