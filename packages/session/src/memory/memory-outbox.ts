import type { Outbox } from "../outbox.ts";
import { pageOf } from "./memory-page.ts";
import type { MemoryState } from "./memory-state.ts";

/** The outbox of a memory store. */
export function memoryOutbox<M>(state: MemoryState<M>): Outbox {
  return {
    async list(request) {
      state.enter(request?.signal);
      const { sessionId, kind } = request ?? {};
      const found = [...state.outbox.values()].filter(
        (event) =>
          (sessionId === undefined || event.sessionId === sessionId) &&
          (kind === undefined || event.kind === kind),
      );
      return pageOf(found, ({ id }) => id, request);
    },
    async consume(eventId, options) {
      state.enter(options?.signal);
      return state.outbox.delete(eventId);
    },
  };
}
