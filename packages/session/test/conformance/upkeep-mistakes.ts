import { blobDigest } from "@mobkit/session/rules";
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
            const summaries = logs.flatMap(({ log, contextMarks }) =>
              contextMarks.map(({ seq }) => ({ log, seq, row: log.get(seq)! })),
            );
            const report = await store.upkeep.redact(request);
            for (const { log, seq, row } of summaries) log.set(seq, row);
            return report;
          },
        },
      },
    }),
  },
  {
    chapter: "rebase",
    mistake: "copies the transcript as it was when the rebase began",
    bites: /appends go on beside a rebase/,
    make: (store, state) => ({
      store: {
        ...store,
        upkeep: {
          ...store.upkeep,
          rebase: async (request) => {
            const before = [...state.sessions.values()].map((session) => ({ session, spans: session.spans }));
            const records = before.map(({ session }) => session.record);
            const report = await store.upkeep.rebase(request);
            for (const [at, { session }] of before.entries()) {
              const { len, settledLen, headDigest } = records[at]!;
              if (session.record.len > len)
                session.record = { ...session.record, len, settledLen, headDigest };
            }
            return report;
          },
        },
      },
    }),
  },
  {
    chapter: "upkeep invariants",
    mistake: "chains its digests anew behind a redaction",
    bites: /a random walk with upkeep/,
    make: (store, state) => ({
      store: {
        ...store,
        upkeep: {
          ...store.upkeep,
          redact: async (request) => {
            const report = await store.upkeep.redact(request);
            for (const { log } of state.sessions.values()) {
              for (const [seq, row] of log) {
                if (row.salt === null) log.set(seq, { ...row, digest: blobDigest(row.bodyText ?? "") });
              }
            }
            return report;
          },
        },
      },
    }),
  },
];
