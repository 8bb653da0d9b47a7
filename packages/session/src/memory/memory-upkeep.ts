import { runCollection } from "../collection.ts";
import { runRebase } from "../rebase.ts";
import type { StoreUpkeep } from "../upkeep.ts";
import { memoryCollection } from "./memory-collection.ts";
import { memoryRebase } from "./memory-rebase.ts";
import { redactInMemory } from "./memory-redaction.ts";
import type { MemoryState } from "./memory-state.ts";
import { dropLeftImports } from "./memory-transfer.ts";

/** The upkeep of a memory store. */
export function memoryUpkeep<M>(state: MemoryState<M>): StoreUpkeep<M, undefined> {
  return {
    async collect(request = {}) {
      state.enter(request.signal);
      if (request.dryRun !== true) dropLeftImports(state, state.clock.now());
      return runCollection(memoryCollection(state), request, state.clock);
    },
    async redact(request) {
      state.enter(request.signal);
      return redactInMemory(state, request);
    },
    async rebase(request = {}) {
      state.enter(request.signal);
      return runRebase(memoryRebase(state), request);
    },
    async generation(options) {
      state.enter(options?.signal);
      return state.generation;
    },
  };
}
