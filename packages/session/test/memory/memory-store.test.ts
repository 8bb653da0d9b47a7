import { manualClock } from "@basis/core/testing";
import {
  atOnce,
  isSessionError,
  memoryStore,
  type Lease,
  type ModelMessage,
  type TranscriptShape,
} from "@mobkit/session";
import { describe, expect, test } from "vitest";

const says = (content: string): ModelMessage => ({ role: "user", content });

async function leased() {
  const store = memoryStore({ clock: manualClock() });
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease: Lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  return { store, id, lease };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "answered";
  } catch (error) {
    return isSessionError(error) ? error.code : String(error);
  }
}

describe("a memory store", () => {
  test("answers without promises what it answers with them, and refuses by throwing", async () => {
    const { store, id, lease } = await leased();
    const now = atOnce(store)!;
    const written = now.append(id, { lease, expectedRev: 0, messages: [says("a")], runTurn: "t" });
    expect(now.head(id)).toBe(await store.head(id));
    expect(now.head(id)).toMatchObject({ rev: written.rev, len: 1, runTurn: "t" });
    expect(now.prefix(id, 1)).toEqual(await store.prefix(id, 1));
    expect(() => now.update(id, { lease, expectedRev: 0 })).toThrow("is at revision 1, not 0");
    await expect(store.update(id, { lease, expectedRev: 0 })).rejects.toThrow("is at revision 1, not 0");
    expect(now.head(id).rev).toBe(1);
    const gone = AbortSignal.abort(new Error("stop"));
    expect(() => now.head(id, { signal: gone })).toThrow("stop");
    expect(now.generation()).toBe(await store.upkeep.generation());
    await store.close();
    expect(() => now.head(id)).toThrow("the store can't be used: it is closed");
  });

  test("that somebody wraps answers by the wrapper's calls alone", () => {
    const store = memoryStore();
    expect(atOnce(store)).toBeDefined();
    expect(atOnce({ ...store })).toBeUndefined();
  });

  test("tells what it can do", () => {
    expect(memoryStore().capabilities).toEqual({
      zeroCopyFork: true,
      atomicReserveAndFork: true,
      fencing: true,
      prefixDigest: true,
      durable: false,
      releasingWrites: true,
      sureReplies: true,
    });
    expect(memoryStore().shape.name).toBe("ai-sdk/model-message@1");
  });

  test("keeps messages of any shape", async () => {
    interface Line {
      readonly who: string;
      readonly call?: string;
      readonly reply?: string;
    }
    const lines: TranscriptShape<Line> = {
      name: "lines@1",
      inspect: ({ who, call, reply }) => ({
        kind: who === "me" ? "user" : "assistant",
        opens: call === undefined ? [] : [call],
        closes: reply === undefined ? [] : [reply],
      }),
    };
    const store = memoryStore({ shape: lines });
    const { id } = await store.createSession({ member: "planner", role: "general" });
    const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
    await store.append(id, { lease, expectedRev: 0, messages: [{ who: "me" }, { who: "it", call: "c" }] });
    expect((await store.head(id)).settledLen).toBe(1);
  });

  test("is untouched by what a caller does to its objects afterwards", async () => {
    const { store, id, lease } = await leased();
    const message = { role: "user" as const, content: [{ type: "text", text: "a" }] };
    const payload = { n: [1] };
    const value = { list: [1] };
    await store.append(id, {
      lease,
      expectedRev: 0,
      messages: [message],
      events: [{ key: "k", kind: "told", payload }],
      sideState: [{ kind: "todo", onFork: "copy", value }],
    });
    message.content[0]!.text = "b";
    payload.n.push(2);
    value.list.push(2);
    for await (const { body } of store.read(id)) expect(body.content).toEqual([{ type: "text", text: "a" }]);
    expect((await store.outbox.list()).items[0]?.payload).toEqual({ n: [1] });
    expect((await store.sideState(id, "todo"))?.value).toEqual({ list: [1] });
  });

  test("hands out frozen records and rows", async () => {
    const { store, id, lease } = await leased();
    const result = await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
    const head = await store.head(id);
    for (const record of [result, head, head.lease, head.usage.own, head.openCalls]) {
      expect(Object.isFrozen(record)).toBe(true);
    }
    for await (const row of store.read(id)) {
      expect([row, row.body, row.usageAfter].every(Object.isFrozen)).toBe(true);
    }
  });

  // S28
  test("refuses a join that answers a promise, and undoes the write", async () => {
    const { store, id, lease } = await leased();
    const write = { lease, expectedRev: 0, messages: [says("a")] };
    expect(await codeOf(store.append(id, { ...write, join: () => Promise.resolve() }))).toBe(
      "invalid_request",
    );
    expect((await store.head(id)).len).toBe(0);
    expect(await codeOf(store.append(id, { ...write, join: () => undefined }))).toBe("answered");
  });

  test("refuses calls from inside a join", async () => {
    const { store, id, lease } = await leased();
    let inner = "";
    const join = (): void => {
      void codeOf(store.adjustWork(id, { queuedInputs: 1 })).then((code) => (inner = code));
    };
    await store.append(id, { lease, expectedRev: 0, messages: [says("a")], join });
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect([inner, (await store.head(id)).queuedInputs]).toEqual(["store_unavailable", 0]);
  });

  // S34: a reader holds nothing between its pages.
  test("ends a read with the reader's signal, between two pages", async () => {
    const { store, id, lease } = await leased();
    await store.append(id, { lease, expectedRev: 0, messages: ["a", "b", "c"].map(says) });
    const stop = new AbortController();
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { position } of store.read(id, { pageSize: 1, signal: stop.signal })) {
        seen.push(position);
        if (position === 1) stop.abort(new Error("enough"));
      }
    })();
    expect(await codeOf(reading)).toBe("Error: enough");
    expect(seen).toEqual([0, 1]);
  });

  test("refuses page sizes and ranges that are none", async () => {
    const { store, id } = await leased();
    for (const request of [{ pageSize: 0 }, { pageSize: 1001 }, { from: -1 }, { to: 0.5 }]) {
      expect(await codeOf(store.read(id, request)[Symbol.asyncIterator]().next())).toBe("invalid_request");
    }
    expect(await codeOf(store.listSessions({ limit: 0 }))).toBe("invalid_request");
    expect(await codeOf(store.read(id, { from: 5, to: 9 })[Symbol.asyncIterator]().next())).toBe("answered");
  });

  test("counts usage as whole numbers only", async () => {
    const { store, id, lease } = await leased();
    const write = { lease, expectedRev: 0 };
    expect(await codeOf(store.update(id, { ...write, usage: { inputTokens: Number.NaN } }))).toBe(
      "invalid_request",
    );
    expect(await codeOf(store.update(id, { ...write, usage: { inputTokens: 3 } }))).toBe("answered");
  });
});

test("a list of messages that has holes, or is none, changes nothing", async () => {
  const store = memoryStore();
  const { id } = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  const write = { lease, expectedRev: 0, to: 0, reason: "no" };
  const holed: ModelMessage[] = [];
  holed[1] = { role: "user", content: "b" };
  const before = await store.head(id);
  for (const messages of [holed, [undefined as never]])
    await expect(store.append(id, { ...write, messages })).rejects.toMatchObject({ code: "invalid_message" });
  await expect(store.cancel(id, { ...write, messages: holed })).rejects.toMatchObject({
    code: "invalid_message",
  });
  const none = store.cancel(id, { ...write, messages: "b" as never });
  await expect(none).rejects.toMatchObject({ code: "invalid_request", details: { field: "messages" } });
  expect(await store.head(id)).toEqual(before);
  expect(await store.append(id, { ...write, messages: [holed[1]] })).toMatchObject({ rev: 1 });
});
