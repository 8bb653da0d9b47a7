import { manualClock } from "@basis/core/testing";
import { modelMessageShape, type ModelMessage } from "@mobkit/session";
import { expect, test } from "vitest";
import { runCollection } from "../src/collection.ts";
import { memoryCollection } from "../src/memory/memory-collection.ts";
import { memoryRebase } from "../src/memory/memory-rebase.ts";
import { MemoryState } from "../src/memory/memory-state.ts";
import { storeOver } from "../src/memory/memory-store.ts";
import { runRows, type RebaseJob } from "../src/rebase.ts";

const says = (content: string): ModelMessage => ({ role: "user", content });

/** A session of many spans whose rebase has copied everything and waits to put it in place. */
async function copiedRebase() {
  const state: MemoryState<ModelMessage> = new MemoryState(modelMessageShape, manualClock());
  const store = storeOver(state);
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  for (let rev = 0; rev < 80; rev += 2) {
    const messages = [says(`kept ${rev}`), says("wrong")];
    const { len } = await store.append(id, { lease, expectedRev: rev, messages });
    await store.cancel(id, { lease, expectedRev: rev + 1, to: len - 1, reason: "wrong" });
  }
  const job: RebaseJob = (await memoryRebase(state).begin(id))!;
  await memoryRebase(state).copy(job, { done: 0, limit: runRows(job.runs) });
  return { state, store, id, job, finish: () => memoryRebase(state).finish(job) };
}

async function texts({ store, id }: Awaited<ReturnType<typeof copiedRebase>>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { body } of store.read(id)) found.push(body.content);
  return found;
}

// S32, F113
test.each(["markedRanges", "removeRows"] as const)(
  "rows that a rebase puts in place before a collection's %s stay",
  async (moment) => {
    const bench = await copiedRebase();
    const before = await texts(bench);
    const steps = memoryCollection(bench.state);
    let finished: boolean | undefined;
    const late = {
      ...steps,
      [moment]: async (...given: readonly never[]) => {
        finished ??= await bench.finish();
        return Reflect.apply(steps[moment], steps, given) as unknown;
      },
    };
    await runCollection(late, { graceMs: 0 }, bench.state.clock);
    expect(finished).toBe(true);
    expect(await texts(bench)).toEqual(before);
  },
);

test("a rebase whose copies were collected is not put in place", async () => {
  const bench = await copiedRebase();
  const before = await texts(bench);
  await bench.store.upkeep.collect({ graceMs: 0 });
  expect(await bench.finish()).toBe(false);
  expect(await texts(bench)).toEqual(before);
  expect((await bench.store.upkeep.rebase()).sessions).toBe(1);
  expect(await texts(bench)).toEqual(before);
});

// S32
test("a rebase during which something was redacted is begun anew", async () => {
  const bench = await copiedRebase();
  for await (const { id } of bench.store.read(bench.id, { to: 1 })) {
    await bench.store.upkeep.redact({ sessionId: bench.id, messageIds: [id] });
  }
  expect(await bench.finish()).toBe(false);
  expect((await bench.store.upkeep.rebase()).sessions).toBe(1);
  expect((await texts(bench))[0]).toBe("[redacted]");
});

test("what a collection had marked before it failed is still marked", async () => {
  const { state, store, id } = await copiedRebase();
  await store.setState(id, { state: "tombstone" });
  const failing = { ...memoryCollection(state), looseBlobs: () => Promise.reject(new Error("disk gone")) };
  await expect(runCollection(failing, { graceMs: 1000 }, state.clock)).rejects.toThrow("disk gone");
  expect(state.marks.ranges.length).toBeGreaterThan(0);
});

test("a collection without grace removes what is not needed, though time goes on while it looks", async () => {
  const state: MemoryState<ModelMessage> = new MemoryState(modelMessageShape, manualClock());
  const store = storeOver(state);
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  await store.append(id, { lease, expectedRev: 0, messages: [says("kept"), says("wrong")] });
  await store.cancel(id, { lease, expectedRev: 1, to: 1, reason: "wrong" });
  let ticks = state.clock.now();
  const ticking = { ...state.clock, now: () => (ticks += 1) };
  const { gone } = await runCollection(memoryCollection(state), { graceMs: 0 }, ticking);
  expect(gone.rows).toBe(1);
});
