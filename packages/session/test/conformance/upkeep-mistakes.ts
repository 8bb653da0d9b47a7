import type { Mistake } from "./mistake.ts";

/** Mistakes of upkeep, one for each of its chapters. */
export const upkeepMistakes: readonly Mistake[] = [
  {
    chapter: "collection",
    mistake: "takes a deleted session's rows for its own alone",
    bites: /a deleted parent leaves its children whole/,
    make: (store, state) => ({
      store: {
        ...store,
        setState: async (sessionId, request) => {
          const record = await store.setState(sessionId, request);
          if (request.state === "tombstone") state.session(sessionId).log.clear();
          return record;
        },
      },
    }),
  },
  {
    chapter: "redaction",
    mistake: "leaves the summaries as they are",
    bites: /a summary that covers the message goes with it/,
    make: (store, state) => ({
      store: {
        ...store,
        upkeep: {
          ...store.upkeep,
          redact: async (request) => {
            const logs = [...state.sessions.values()];
