import { canonicalJson } from "@basis/core";
import { beforeEach, describe, expect, test } from "vitest";
import { cacheVerdict } from "../../src/agent/forks/cache-verdict.ts";
import { estimatePrefix } from "../../src/compaction/estimate-prefix.ts";
import type { ModelMessage } from "../../src/providers/model.ts";
import { memoryState, type HostState } from "../../src/store/open-state.ts";

const { signal } = new AbortController();
let state: HostState;
let id: string;
beforeEach(async () => {
  state = memoryState();
  ({ id } = await state.store.createSession({ member: "trunk", role: "main" }));
});

interface Write {
  readonly messages?: readonly ModelMessage[];
  readonly usage?: { inputTokens: number; outputTokens: number };
  readonly requestHead?: string;
}

async function write({ messages = [], usage, requestHead }: Write): Promise<void> {
  const { store } = state;
  const lease = await store.acquireLease(id, { owner: "test", ttlMs: 1000 });
  const { rev: expectedRev } = await store.head(id);
  const counted = usage && { ...usage, cachedInputTokens: 0, reasoningTokens: 0 };
  const change = {
    lease,
    expectedRev,
    ...(counted && { usage: counted }),
    ...(requestHead && { requestHead }),
  };
  if (messages.length > 0) await store.append(id, { ...change, messages });
  else await store.update(id, change);
  await store.releaseLease(lease);
}

const user = (content: string): ModelMessage => ({ role: "user", content });
const assistant = (content: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "text", text: content }],
});

// F104
describe("the verdict on a fork's prompt cache", () => {
  const verdict = async (model?: string) =>
    cacheVerdict(state.store, { session: await state.store.head(id), length: 3, model });
  const speakWith = async (provider: string): Promise<void> => {
    const head = { model: { provider, id: "m" }, system: "s", tools: [] };
    await write({ requestHead: (await state.store.blobs.put(canonicalJson(head))).digest });
  };

  test("is that nobody knows the model before a run has told", async () => {
    expect(await verdict()).toEqual({ status: "unavailable", reason: "target_identity_unresolved" });
  });

  test.each(["openai", "google"])("is available with %s, which keeps prompts by itself", async (provider) => {
    await speakWith(provider);
    expect(await verdict()).toEqual({ status: "available", messageCount: 3 });
    expect(await verdict(`${provider}/m`)).toEqual({ status: "available", messageCount: 3 });
    expect(await verdict(`${provider}/other`)).toEqual({
      status: "unavailable",
      reason: "provider_model_mismatch",
    });
  });

  test.each([
    ["anthropic", "no_authored_breakpoint_at_boundary"],
    ["scripted", "target_lowering_unavailable"],
    ["toString", "target_lowering_unavailable"],
  ])("with %s is %s", async (provider, reason) => {
    await speakWith(provider);
    expect(await verdict()).toEqual({ status: "unavailable", reason });
  });

  test.each(["no json", "[]", "{}"])("of a head that is %j is that it cannot be shown", async (text) => {
    await write({ requestHead: (await state.store.blobs.put(text)).digest });
    expect(await verdict()).toEqual({
      status: "unavailable",
      reason: "rendered_prefix_projection_unavailable",
    });
  });
});

describe("the estimate of a prefix", () => {
  const estimate = async (length: number) =>
    estimatePrefix(state.store, { session: await state.store.head(id), length }, signal);

  test("goes by characters where no provider counted, the head included", async () => {
    await write({ requestHead: (await state.store.blobs.put("h".repeat(400))).digest });
    await write({ messages: [user("x".repeat(398))] });
    expect(await estimate(1)).toEqual({ tokens: 200, from: "characters" });
    expect(await estimate(0)).toEqual({ tokens: 100, from: "characters" });
  });

  test("takes what the provider counted for the last answer, and characters for what came after it", async () => {
    await write({ messages: [user("hello")] });
    await write({ messages: [assistant("hi")], usage: { inputTokens: 1000, outputTokens: 20 } });
    await write({ messages: [user("x".repeat(398))] });
    await write({ messages: [assistant("again")], usage: { inputTokens: 1200, outputTokens: 30 } });
    expect(await estimate(2)).toEqual({ tokens: 1020, from: "provider" });
    expect(await estimate(3)).toEqual({ tokens: 1120, from: "provider" });
    expect(await estimate(4)).toEqual({ tokens: 1230, from: "provider" });
  });

  test.each([62, 63, 64, 65, 66, 127, 128, 129, 200])(
    "finds the answer %i messages before the end",
    async (behind) => {
      await write({ messages: [user("hello")] });
      await write({ messages: [assistant("hi")], usage: { inputTokens: 1000, outputTokens: 20 } });
      await write({ messages: Array.from({ length: behind }, () => user("xx")) });
      expect(await estimate(2 + behind)).toEqual({ tokens: 1020 + behind, from: "provider" });
    },
  );

  test("counts each message once where nobody counted", async () => {
    await write({ messages: Array.from({ length: 150 }, () => user("xx")) });
    expect(await estimate(150)).toEqual({ tokens: 150, from: "characters" });
  });
});
