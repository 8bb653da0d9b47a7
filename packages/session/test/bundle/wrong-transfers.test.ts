import { modelMessageShape, type ModelMessage, type SessionTransfer } from "@mobkit/session";
import { transferChapters } from "@mobkit/session/conformance";
import { describe, expect, test } from "vitest";
import { MemoryState } from "../../src/memory/memory-state.ts";
import { storeOver } from "../../src/memory/memory-store.ts";

type State = MemoryState<ModelMessage>;

/** One plausible mistake of a store's transfer, and the promise that it breaks. */
interface Mistake {
  readonly chapter: string;
  readonly mistake: string;
  readonly bites: RegExp;
  make(transfer: SessionTransfer, state: State): Partial<SessionTransfer>;
}

const mistakes: readonly Mistake[] = [
  {
    chapter: "transfer",
    mistake: "shows an import before its end",
    bites: /nobody's/,
    make: (transfer, state) => ({
      begin: async () => {
        const lease = await transfer.begin();
        const session = state.session(lease.sessionId);
        session.record = { ...session.record, state: "ready" };
        return lease;
      },
    }),
  },
  {
    chapter: "transfer",
    mistake: "doesn't look at the lease",
    bites: /fenced/,
    make: (transfer, state) => ({
      stage: (lease, rows) => {
        const { epoch } = state.session(lease.sessionId).record.lease;
        return transfer.stage({ ...lease, epoch }, rows);
      },
    }),
  },
  {
    chapter: "transfer",
    mistake: "never cleans up after others",
    bites: /left behind/,
    make: (transfer, state) => ({
      begin: async () => {
        const before = new Map([...state.sessions].map(([id, { record }]) => [id, record]));
        const lease = await transfer.begin();
        for (const [id, record] of before) state.session(id).record = record;
        return lease;
      },
    }),
  },
  {
    chapter: "transfer",
    mistake: "seats a member in another's place",
    bites: /on a free name/,
    make: (transfer, state) => ({
      finish: async (lease, contents) => {
        state.members.delete(contents.member);
        return transfer.finish(lease, contents);
      },
    }),
  },
  {
    chapter: "transfer",
    mistake: "stages rows whose blobs aren't there",
    bites: /needs its blobs/,
    make: (transfer) => ({
      stage: (lease, rows) =>
        transfer.stage(
          lease,
          rows.map((row) => ({ ...row, blobs: [] })),
        ),
    }),
  },
  {
    chapter: "bundles",
    mistake: "forgets compactions",
    bites: /comes back as it was/,
    make: (transfer) => ({
      stage: (lease, rows) =>
        transfer.stage(
          lease,
          rows.map((row) => ({ ...row, mark: null })),
        ),
    }),
  },
  {
    chapter: "bundles",
    mistake: "leaves a refused import half done",
    bites: /leaves nothing/,
    make: () => ({ drop: async () => false }),
  },
  {
    chapter: "bundles",
    mistake: "takes waiting work along",
    bites: /don't come along/,
    make: (transfer, state) => ({
      finish: async (lease, contents) => {
        const { session, member } = await transfer.finish(lease, contents);
        const queued = Object.freeze({ ...session, queuedInputs: 2 });
        state.session(session.id).record = queued;
        return { session: queued, member };
      },
    }),
  },
  {
    chapter: "bundles",
    mistake: "shows deleted sessions",
    bites: /deleted ones are not/,
    make: (transfer, state) => ({
      outline: async (sessionId) => {
        const session = state.session(sessionId);
        const { record } = session;
        session.record = { ...record, state: "archived" };
        const outline = await transfer.outline(sessionId);
        session.record = record;
        return outline;
      },
    }),
  },
];

describe("the kit catches a transfer that", () => {
  test.each(mistakes)("$mistake ($chapter)", async ({ chapter, bites, make }) => {
    const { cases } = transferChapters.find(({ name }) => name === chapter)!;
    const broken: string[] = [];
    for (const { name, run } of cases) {
      const attempt = run({
        open: async ({ clock }) => {
          const state = new MemoryState(modelMessageShape, clock);
          const store = storeOver(state);
          return { store: { ...store, transfer: { ...store.transfer!, ...make(store.transfer!, state) } } };
        },
      });
      await attempt.catch((error: unknown) => broken.push(`${name}: ${String(error)}`));
    }
    expect(broken.join("\n")).toMatch(bites);
  });
});
