import type { Outbox } from "../outbox.ts";
import { invalidRequest } from "../request-checks.ts";
import { pageOf } from "./memory-page.ts";
import type { MemoryState } from "./memory-state.ts";

/** The outbox of a memory store. */
export function memoryOutbox<M>(state: MemoryState<M>): Outbox {
  return {
    async list(request) {
      state.enter(request?.signal);
      const { sessionId, kind, after } = request ?? {};
      if (after !== undefined && !/^\d+$/.test(after))
        throw invalidRequest("after", "is no cursor of this list");
      const found = [...state.outbox.values()].filter(
        (event) =>
          (sessionId === undefined || event.sessionId === sessionId) &&
          (kind === undefined || event.kind === kind),
      );
      return pageOf(found, ({ id }) => id, request);
    },
    async consume(eventId, options) {
      state.enter(options?.signal);
      return state.consume(eventId);
    },
  };
}
