import type { EventEmitter } from "../events/event-emitter.ts";
import { untoldChanges, type StateChanges } from "./changes.ts";
import type { HostLedger } from "./host-ledger.ts";
import type { HostStore } from "./host-store.ts";
import type { HostState } from "./open-state.ts";

/** The parts of a state. */
export interface StateParts {
  readonly store: HostStore;
  readonly ledger: HostLedger<never>;
  readonly events: EventEmitter;
  /** Default: nobody tells. */
  readonly changes?: StateChanges & { close(): Promise<void> };
}

/** A state of parts that are closed with it: the event log first, the store last. */
export function stateOf({ store, ledger, events, changes }: StateParts): HostState {
  return {
    store,
    ledger,
    events,
    changes: changes ?? untoldChanges,
    async close() {
      try {
        await events.close();
      } finally {
        await changes?.close();
        await store.close();
      }
    },
  };
}
