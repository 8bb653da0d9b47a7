import { atOnce, type ImmediateStore } from "@mobkit/session";
import type { Later } from "../events/event-log.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "./host-store.ts";

type Calls = ImmediateStore<ModelMessage, never>;

type Asked =
  | "head"
  | "acquireLease"
  | "renewLease"
  | "releaseLease"
  | "append"
  | "update"
  | "cancel"
  | "sideState";

/** A store's calls, which answer at once where the store never waits: a turn makes a dozen. */
export type PromptCalls = {
  readonly [Name in Asked]: (...given: Parameters<Calls[Name]>) => Later<ReturnType<Calls[Name]>>;
};

/** The fastest calls that a store has. */
export function promptCalls(store: HostStore): PromptCalls {
  return atOnce(store) ?? store;
}

/** How often something in the store was redacted. The signal is read only where the answer is waited for. */
export function redactionsOf(store: HostStore, ending: { readonly signal: AbortSignal }): Later<number> {
  const calls = atOnce(store);
  if (calls !== undefined) return calls.generation();
  return store.upkeep?.generation({ signal: ending.signal }) ?? 0;
}
