import { isSessionError, modelMessageShape } from "@mobkit/session";
import {
  chapters,
  durabilityChapter,
  releaseChapter,
  upkeepChapters,
  type ConformanceSubject,
} from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";
import { MemoryState } from "../../src/memory/memory-state.ts";
import { storeOver } from "../../src/memory/memory-store.ts";
import type { Mistake, State } from "./mistake.ts";
import { upkeepMistakes } from "./upkeep-mistakes.ts";

const mistakes: readonly Mistake[] = [
  {
    chapter: "sessions and members",
    mistake: "gives a taken name to the newcomer",
    bites: /a taken name is refused/,
    make: (store, state) => ({
      store: {
        ...store,
        createSession: async (request) => {
          state.members.delete(request.member);
          return store.createSession(request);
        },
      },
    }),
  },
  {
    chapter: "append rules",
    mistake: "reads no calls",
    bites: /nothing but a matching result/,
    make: (_store, state) => {
      const inspect: typeof modelMessageShape.inspect = (message) => {
        const facts = modelMessageShape.inspect(message);
        return "problem" in facts ? facts : { ...facts, opens: [], closes: [] };
      };
      return { store: storeOver(new MemoryState({ ...modelMessageShape, inspect }, state.clock)) };
    },
  },
  {
    chapter: "fenced writes",
    mistake: "reloads the revision and goes on",
    bites: /old revision/,
    make: (store, state) => ({
      store: {
        ...store,
        append: async (sessionId, request) => {
          const expectedRev = state.session(sessionId).record.rev;
          return store.append(sessionId, { ...request, expectedRev });
        },
      },
    }),
  },
  {
    chapter: "leases and fencing",
    mistake: "doesn't look at the epoch when it writes",
    bites: /after a takeover/,
    make: (store, state) => ({
      store: {
        ...store,
        append: async (sessionId, request) => {
          const { epoch, owner } = state.session(sessionId).record.lease;
          const lease = { ...request.lease, sessionId, epoch, owner: owner ?? request.lease.owner };
          return store.append(sessionId, { ...request, lease });
        },
      },
    }),
  },
  {
    chapter: "cancel",
    mistake: "gives the numbers of cancelled rows again",
    bites: /number is never given again/,
    make: (store, state) => ({
      store: {
        ...store,
        cancel: async (sessionId, request) => {
          const session = state.session(sessionId);
          session.record = { ...session.record, nextSeq: request.to };
          return store.cancel(sessionId, request);
        },
      },
    }),
  },
  {
    chapter: "fork boundaries and sources",
    mistake: "moves a split to the boundary before it",
    bites: /every other is a split/,
    make: (store) => ({
      store: {
        ...store,
        forks: {
          ...store.forks,
          commit: (request) =>
            store.forks.commit(request).catch((error: unknown) => {
              if (!isSessionError(error, "fork_boundary")) throw error;
              return store.forks.commit({ ...request, at: error.details.nearestBefore ?? 0 });
            }),
        },
      },
    }),
  },
  {
    chapter: "branches",
    mistake: "writes to the source while it forks",
    bites: /leaves the source's rows, head and revision/,
    make: (store, state) => ({
      store: {
        ...store,
        forks: {
          ...store.forks,
          commit: async (request) => {
            const committed = await store.forks.commit(request);
            const source = state.session(request.source.sessionId);
            source.record = { ...source.record, rev: source.record.rev + 1 };
            return committed;
          },
        },
      },
    }),
  },
  {
    chapter: "fork operations",
    mistake: "lets a fork be found by name before its seat",
    bites: /shows the child to nobody/,
    make: (store, state) => ({
      store: {
        ...store,
        members: {
          ...store.members,
          get: async (member) => {
            const operation = state.operations.get(state.reservations.get(member) ?? "");
            if (operation === undefined) return store.members.get(member);
            const { child } = operation;
            return { ...child, agentIdentity: null, operationId: operation.id, seatedAt: 0 };
          },
        },
      },
    }),
  },
  {
    chapter: "beside the transcript",
    mistake: "inherits the source's latest compaction whatever the boundary",
    bites: /compaction belongs to its summary row/,
    make: (store, state) => ({
      store: {
        ...store,
        contextMark: async (sessionId) => {
          const { parent } = state.session(sessionId).record;
          return store.contextMark(parent?.sessionId ?? sessionId);
        },
      },
    }),
  },
  {
    chapter: "malformed requests",
    mistake: "takes what it doesn't know for its default",
    bites: /refused by its field/,
    make: (store) => ({
      store: {
        ...store,
        update: async (sessionId, { runTurn, ...request }) =>
          store.update(sessionId, typeof runTurn === "string" ? { ...request, runTurn } : request),
      },
    }),
  },
  {
    chapter: "invariants",
    mistake: "lets a fork follow its source's spans",
    bites: /random walk/,
    make: (store, state) => ({
      store: {
        ...store,
        cancel: async (sessionId, request) => {
          const result = await store.cancel(sessionId, request);
          const { spans } = state.session(sessionId);
          for (const child of state.sessions.values()) {
            if (child.record.parent?.sessionId === sessionId && child.log.size === 0) child.spans = spans;
          }
          return result;
        },
      },
    }),
  },
  {
    chapter: "durability",
    mistake: "forgets its leases when it is opened again",
    bites: /epochs go on from where they were/,
    make: (store, state) => ({
      store,
      reopen: async () => {
        for (const session of state.sessions.values()) {
          const lease = { epoch: 0, owner: null, expiresAt: null };
          session.record = { ...session.record, lease };
        }
        return store;
      },
    }),
  },
  {
    chapter: "releasing writes",
    mistake: "passes over that a write frees its lease",
    bites: /a write frees its lease/,
    make: (store) => ({
      store: {
        ...store,
        append: async (sessionId, { release: _release, ...request }) => store.append(sessionId, request),
      },
    }),
  },
  ...upkeepMistakes,
];

const allChapters = [...chapters, durabilityChapter, releaseChapter, ...upkeepChapters];

test("every chapter has a store that it catches", () => {
  expect(mistakes.map(({ chapter }) => chapter)).toEqual(allChapters.map(({ name }) => name));
});

describe.each(mistakes)("a store that $mistake", ({ chapter, bites, make }) => {
  test(`fails the chapter "${chapter}"`, async () => {
    const failed = await failures(chapter, make);
    const bitten = failed.find(({ name }) => bites.test(name));
    expect(bitten?.message).toMatch(/^conformance: /);
  });
});

async function failures(
  chapter: string,
  make: Mistake["make"],
): Promise<{ readonly name: string; readonly message: string }[]> {
  const { cases } = allChapters.find(({ name }) => name === chapter)!;
  const failed: { readonly name: string; readonly message: string }[] = [];
  for (const { name, run } of cases) {
    const factory = {
      open: async ({ clock }: { clock: State["clock"] }): Promise<ConformanceSubject> => {
        const state: State = new MemoryState(modelMessageShape, clock);
        return make(storeOver(state), state);
      },
    };
    await run(factory).catch((error: Error) => failed.push({ name, message: error.message }));
  }
  return failed;
}
