import { describe, expect, it } from "vitest";
import {
  addUsage,
  BasisError,
  emptyUsage,
  formatModelRef,
  isBasisError,
  systemClock,
  isStandardSchema,
  newId,
  parseModelRef,
} from "../src/index.ts";

describe("newId", () => {
  it("makes well-formed UUIDs of version 7 that carry the time", () => {
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Date.now() + 1000);
  });

  it("makes ids that sort in the order of their making, within a millisecond too", () => {
    const ids = Array.from({ length: 20_000 }, () => newId());
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("model references", () => {
  it("split at the first slash and read back", () => {
    expect(parseModelRef("openrouter/meta/llama")).toEqual({ provider: "openrouter", id: "meta/llama" });
    expect(formatModelRef({ provider: "openrouter", id: "meta/llama" })).toBe("openrouter/meta/llama");
    for (const text of ["", "gpt", "/x", "x/"]) expect(parseModelRef(text)).toBeUndefined();
  });
});

describe("usage", () => {
  it("adds what is there", () => {
    expect(addUsage({ inputTokens: 1, reasoningTokens: 2 }, { inputTokens: 3, outputTokens: 4 })).toEqual({
      ...emptyUsage,
      inputTokens: 4,
      outputTokens: 4,
      reasoningTokens: 2,
    });
  });
});

describe("addUsage", () => {
  it("counts what is left out, and what is no number of tokens, as nothing", () => {
    const odd = { inputTokens: Number.NaN, outputTokens: -3, cachedInputTokens: Infinity };
    expect(addUsage({ ...emptyUsage, inputTokens: 5 }, odd)).toEqual({ ...emptyUsage, inputTokens: 5 });
    expect(addUsage({ outputTokens: 2 }, { outputTokens: 3 })).toEqual({ ...emptyUsage, outputTokens: 5 });
  });
});

describe("systemClock", () => {
  it("rings in its time, and never for a delay that no timer can hold", async () => {
    const rung: string[] = [];
    const stops = [Infinity, 2 ** 31].map((delayMs) =>
      systemClock.alarm(delayMs, () => rung.push("too early")),
    );
    await new Promise<void>((done) => void systemClock.alarm(5, done));
    expect(rung).toEqual([]);
    for (const stop of stops) stop();
  });
});

describe("BasisError", () => {
  class DemoError extends BasisError<"broken", { path: string }> {}

  it("is recognised by its brand, names its class and round-trips as JSON", () => {
    const error = new DemoError("broken", "it broke", { details: { path: "a" }, cause: new Error("why") });
    expect(isBasisError(error)).toBe(true);
    expect(isBasisError(error, "DemoError")).toBe(true);
    expect(isBasisError(error, "OtherError")).toBe(false);
    expect(isBasisError(new Error("it broke"))).toBe(false);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "DemoError",
      code: "broken",
      message: "it broke",
      details: { path: "a" },
    });
  });

  it("is recognised by the name that its class states, whatever a bundler calls the class", () => {
    const Renamed = class t extends BasisError {
      override readonly name: string = "StatedError";
    };
    const error = new Renamed("broken", "it broke");
    expect(isBasisError(error, "StatedError")).toBe(true);
    expect(isBasisError(error, "t")).toBe(false);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: "StatedError" });
    expect(error.toString()).toBe("StatedError: it broke");
  });
});

describe("isStandardSchema", () => {
  it("sees the interface on objects and on functions", () => {
    const face = { version: 1, vendor: "demo", validate: (value: unknown) => ({ value }) };
    expect(isStandardSchema({ "~standard": face })).toBe(true);
    expect(isStandardSchema(Object.assign(() => 1, { "~standard": face }))).toBe(true);
    expect(isStandardSchema({ type: "object" })).toBe(false);
    expect(isStandardSchema(null)).toBe(false);
  });
});
