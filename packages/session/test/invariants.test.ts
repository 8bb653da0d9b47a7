import { digestJson } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import {
  modelMessageShape,
  type Lease,
  type ModelMessage,
  type SessionRecord,
  type SessionStore,
} from "@mobkit/session";
import { randomWalk } from "@mobkit/session/conformance";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryState } from "../src/memory/memory-state.ts";
import { storeOver } from "../src/memory/memory-store.ts";
import { spanProblem } from "../src/span.ts";

interface Bench {
  readonly state: MemoryState<ModelMessage>;
  readonly store: SessionStore<ModelMessage, undefined>;
}

function bench(): Bench {
  const state = new MemoryState(modelMessageShape, manualClock());
  return { state, store: storeOver(state) };
}

const says = (content: string): ModelMessage => ({ role: "user", content });

/** A session with `count` messages, and its lease. */
async function filled(
  store: Bench["store"],
  count: number,
): Promise<{ source: SessionRecord; lease: Lease }> {
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  const messages = Array.from({ length: count }, (_, index) => says(`message ${index}`));
  if (count > 0) await store.append(id, { lease, expectedRev: 0, messages });
  return { source: await store.head(id), lease };
}

function commit(store: Bench["store"], source: SessionRecord, member: string, more: object = {}) {
  return store.forks.commit({
    source: { member: source.binding!.member, sessionId: source.id },
    child: { member, role: "general", labels: {} },
    requestDigest: digestJson({ member }),
    request: {},
    claim: { owner: "test", ttlMs: 1000 },
    ...more,
  });
}

function storedRows({ state }: Bench): number {
  return [...state.sessions.values()].reduce((sum, { log }) => sum + log.size, 0);
}

describe("whatever is appended, cancelled and forked", () => {
  test("transcripts are what plain lists would be, digests and boundaries agree, nothing leaks over", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const own = bench();
        await randomWalk(seed, 25).run({ open: async () => ({ store: own.store }) });
        for (const { record, spans } of own.state.sessions.values()) {
          expect(spanProblem(spans, record.len)).toBeUndefined();
          expect(record.settledLen === record.len).toBe(record.openCalls.length === 0);
        }
        for (const { source } of own.state.operations.values()) {
          const session = own.state.session(source.sessionId);
          expect(session.record.len >= source.len || session.cancelMarks.length > 0).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });

  // F72–F85: no committed fork ends with an open call.
  test("no committed fork has an open call", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const own = bench();
        await randomWalk(seed, 25).run({ open: async () => ({ store: own.store }) });
        for (const { child, source } of own.state.operations.values()) {
          const { openAfter, digest } = own.state.prefix(own.state.session(child.sessionId), source.len);
          expect([openAfter, digest]).toEqual([0, source.digest]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe("a fork", () => {
  // F107, F108: what a fork writes doesn't depend on the transcript's length.
  test("writes no row, whatever the length of its source", async () => {
    const own = bench();
    const { source } = await filled(own.store, 2000);
    for (let index = 0; index < 100; index += 1) await commit(own.store, source, `c${index}`);
    expect(storedRows(own)).toBe(2000);
    for (const { record, spans } of own.state.sessions.values()) {
      expect(record.len).toBe(2000);
      expect(spans).toHaveLength(1);
    }
  });

  test("of one idempotency key makes one child, however often and however many at once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("k1", "k2"), { minLength: 1, maxLength: 12 }),
        async (keys) => {
          const own = bench();
          const { source } = await filled(own.store, 1);
          const commits = keys.map((key) =>
            commit(own.store, source, `child-${key}`, { idempotencyKey: key }),
          );
          const children = (await Promise.all(commits)).map(({ session }) => session.id);
          expect(new Set(children).size).toBe(new Set(keys).size);
          expect(own.state.operations.size).toBe(new Set(keys).size);
        },
      ),
    );
  });

  test("behind a compaction has the context that the source had there", async () => {
    const { store } = bench();
    const { source, lease } = await filled(store, 3);
    const write = { lease, expectedRev: source.rev, mark: { summarises: 2, keepFrom: 2 } };
    await store.append(source.id, { ...write, messages: [says("summary")] });
    const mark = await store.contextMark(source.id);
    const forked = await commit(store, await store.head(source.id), "child");
    expect(await store.contextMark(forked.session.id)).toEqual(mark);
  });
});
