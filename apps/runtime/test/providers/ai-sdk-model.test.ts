import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { manualClock } from "@basis/core/testing";
import { describe, expect, test } from "vitest";
import {
  aiSdkModel,
  type AiSdkModelOptions,
  type LanguageModelLike,
} from "../../src/providers/ai-sdk-model.ts";
import { requestOf, runRound } from "./rounds.ts";

const usage = {
  inputTokens: { total: 2, noCache: 2, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
const hello = [{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: "hello" }, finish];

function modelOf(parts: readonly unknown[], options: Partial<AiSdkModelOptions> = {}) {
  const calls: LanguageModelV3CallOptions[] = [];
  let loads = 0;
  const served: LanguageModelLike = {
    specificationVersion: "v4",
    doStream: async (call) => {
      calls.push(call);
      return { stream: ReadableStream.from(parts as LanguageModelV3StreamPart[]) as never };
    },
  };
  const model = aiSdkModel({
    ref: { provider: "acme", id: "one" },
    capabilities: { forcedChoice: "named", nativeSchema: true },
    load: async () => {
      loads += 1;
      return served;
    },
    ...options,
  });
  return { model, calls, loads: () => loads };
}

describe("a model of a provider package", () => {
  test("is loaded with the first round, once, whatever its interface version", async () => {
    const { model, calls, loads } = modelOf(hello);
    expect(loads()).toBe(0);
    expect(model.ref).toEqual({ provider: "acme", id: "one" });
    for (let round = 0; round < 2; round += 1) {
      const { events, error } = await runRound(model, requestOf());
      expect(error).toBeUndefined();
      expect(events.map((event) => event.type)).toEqual(["text", "finish"]);
    }
    expect(loads()).toBe(1);
    expect(calls).toHaveLength(2);
  });

  test("is loaded anew after a load that failed", async () => {
    const { model, calls } = modelOf(hello);
    let attempts = 0;
    const flaky = aiSdkModel({
      ref: model.ref,
      capabilities: model.capabilities,
      load: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("no such package");
        return {
          specificationVersion: "v3",
          doStream: async () => ({ stream: ReadableStream.from(hello) as never }),
        };
      },
    });
    expect(await runRound(flaky, requestOf())).toMatchObject({ error: { message: "no such package" } });
    expect((await runRound(flaky, requestOf())).error).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test("gets the options that every request carries", async () => {
    const providerOptions = { acme: { store: false } };
    const { model, calls } = modelOf(hello, { providerOptions });
    await runRound(model, requestOf());
    expect(calls[0]).toMatchObject({ providerOptions });
  });

  test("times out on a connection that never stands", async () => {
    const clock = manualClock();
    const silent: LanguageModelLike = {
      specificationVersion: "v3",
      doStream: () => {
        queueMicrotask(() => clock.advance(15_000));
        return new Promise(() => undefined);
      },
    };
    const { model } = modelOf([], {
      clock,
      load: async () => silent,
      observesConnection: true,
      retries: { maxAttempts: 1 },
    });
    const { error } = await runRound(model, requestOf());
    expect(error).toMatchObject({ code: "timeout", details: { watchdog: "connect", timeoutMs: 15_000 } });
  });

  test("whose stream ends without a finish has failed", async () => {
    const { model } = modelOf(hello.slice(0, 2), { retries: { maxAttempts: 1 } });
    const { events, error } = await runRound(model, requestOf());
    expect(events).toEqual([{ type: "text", delta: "hello" }]);
    expect(error).toMatchObject({ code: "stream_error" });
  });
});
