import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { ladderKey, refusedPart, rungsFor } from "../src/ladder.ts";
import { createLadderMemory, type ModelCapabilities } from "../src/index.ts";

const model: ModelCapabilities = {
  model: { provider: "p", id: "m" },
  tools: true,
  forced: "named",
  native: "alone",
};

describe("rungsFor", () => {
  it.each<[string, Partial<ModelCapabilities>, string]>([
    ["everything", {}, "tool required native auto prompted"],
    ["required only", { forced: "required" }, "required native auto prompted"],
    ["no forcing", { forced: "none" }, "native auto prompted"],
    [
      "thinking that allows forcing",
      { thinking: { enabled: true, allowsForcing: true } },
      "tool required native auto prompted",
    ],
    [
      "thinking that refuses it",
      { thinking: { enabled: true, allowsForcing: false } },
      "native auto prompted",
    ],
    [
      "thinking that is off",
      { thinking: { enabled: false, allowsForcing: false } },
      "tool required native auto prompted",
    ],
    ["no tools", { tools: false }, "native prompted"],
    ["nothing", { tools: false, native: "none" }, "prompted"],
  ])("stands on the right rungs with %s", (_, capabilities, expected) => {
    expect(rungsFor({ ...model, ...capabilities }).join(" ")).toBe(expected);
  });
});

describe("refusedPart", () => {
  it.each([
    ["tool_choice: Input should be 'auto'", "tool_choice"],
    ["Thinking may not be enabled when tool_choice forces tool use.", "tool_choice"],
    [
      "forced function calling (mode = ANY) with response mime type is unsupported: function_calling_config",
      "tool_choice",
    ],
    ["Invalid schema for function 'x': 'oneOf' is not permitted.", "schema"],
    ["response_format of type json_schema is not supported", "schema"],
    ["tools.0.custom.strict: Extra inputs are not permitted", "schema"],
    ["the compiled grammar is too large", "schema"],
    ["max_tokens must be positive", undefined],
    ["insufficient credit", undefined],
  ] as const)("reads %j as %s", (message, part) => {
    expect(refusedPart({ status: 400, message })).toBe(part);
    expect(refusedPart({ message })).toBe(part);
    expect(refusedPart({ status: 500, message })).toBeUndefined();
    expect(refusedPart({ status: 429, message })).toBeUndefined();
  });

  it("reads the parameter that the provider names", () => {
    expect(refusedPart({ status: 400, message: "not supported", param: "tool_choice" })).toBe("tool_choice");
    expect(refusedPart({ status: 400, message: "not supported", param: "text.format.schema" })).toBe(
      "schema",
    );
  });
});

// case 24
describe("a memory", () => {
  it("keeps provider, endpoint and model apart, forgets in time, and stays bounded", () => {
    const clock = manualClock();
    const memory = createLadderMemory({ ttlMs: 100, maxModels: 2, clock });
    memory.remember(ladderKey(model), { step: "tool" });
    memory.remember(ladderKey({ ...model, endpoint: "gateway" }), { step: "native" });
    expect(memory.refused(ladderKey(model))).toEqual([{ step: "tool" }]);
    expect(memory.refused(ladderKey({ ...model, endpoint: "gateway" }))).toEqual([{ step: "native" }]);
    clock.advance(60);
    memory.remember(ladderKey({ ...model, model: { provider: "p", id: "other" } }), { step: "tool" });
    expect(memory.refused(ladderKey(model))).toEqual([]);
    clock.advance(60);
    expect(memory.refused(ladderKey({ ...model, endpoint: "gateway" }))).toEqual([]);
  });

  it("believes a refusal for six hours and remembers a thousand models, unless told otherwise", () => {
    const clock = manualClock();
    const memory = createLadderMemory({ clock });
    const key = (id: number) => ladderKey({ ...model, model: { provider: "p", id: String(id) } });
    for (let id = 0; id < 1_001; id += 1) memory.remember(key(id), { step: "tool" });
    expect([memory.refused(key(0)), memory.refused(key(1))]).toEqual([[], [{ step: "tool" }]]);
    clock.advance(6 * 60 * 60 * 1000 - 1);
    expect(memory.refused(key(1))).toEqual([{ step: "tool" }]);
    clock.advance(1);
    expect(memory.refused(key(1))).toEqual([]);
  });

  it("keeps the refusals of schemas apart, the newest hundred of a model", () => {
    const memory = createLadderMemory();
    for (let at = 0; at < 101; at += 1) memory.remember("m", { step: "tool", schema: String(at) });
    memory.remember("m", { step: "tool", schema: "1" });
    const schemas = memory.refused("m").map(({ schema }) => schema);
    expect([schemas.length, schemas[0], schemas.at(-1)]).toEqual([100, "2", "1"]);
  });
});
