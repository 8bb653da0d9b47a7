import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineOutput, unionOutput } from "../src/index.ts";
import { ask, toolTexts } from "./support/asking.ts";

const result = defineOutput({
  name: "result",
  description: "The answer.",
  schema: z.object({ at: z.string().transform((text) => new Date(text)) }),
});
const giveUp = defineOutput({
  name: "give_up",
  description: "Why there is none.",
  schema: {
    type: "object",
    properties: { reason: { $ref: "#/$defs/reason" } },
    required: ["reason"],
    $defs: { reason: { type: "string" } },
  },
});
const spec = unionOutput({
  name: "outcome",
  description: "What came of it.",
  variants: { result, give_up: giveUp },
});

describe("unionOutput", () => {
  it("answers one of several shapes, each decoded by its own type", async () => {
    const first = await ask([{ terminal: '{"result":{"at":"2026-01-01"}}' }], { spec });
    expect(first.attempt).toMatchObject({
      status: "accepted",
      value: { kind: "result", value: { at: new Date("2026-01-01") } },
    });
    const second = await ask([{ terminal: '{"give_up":{"reason":"no data"}}' }], { spec });
    expect(second.attempt).toMatchObject({
      status: "accepted",
      value: { kind: "give_up", value: { reason: "no data" } },
    });
  });

  it("shows the model each shape with its description, references following it", () => {
    expect(spec.inputSchema).toMatchObject({
      type: "object",
      properties: {
        result: { description: "The answer.", properties: { at: { type: "string" } } },
        give_up: { properties: { reason: { $ref: "#/properties/give_up/%24defs/reason" } } },
      },
    });
  });

  it("refuses two shapes at once, none, and what fits neither", async () => {
    const { attempt, runner } = await ask(
      [
        { terminal: '{"result":{"at":"2026-01-01"},"give_up":{"reason":"x"}}' },
        { terminal: "{}" },
        { terminal: '{"give_up":{"reason":1}}' },
      ],
      { spec },
    );
    expect(attempt.status).toBe("mismatch");
    expect(toolTexts(runner)[0]).toContain("at most 1 properties");
    expect(toolTexts(runner)[2]).toContain("expected string");
  });

  it("is asked for in a provider's subset like any other", async () => {
    const { attempt } = await ask([{ terminal: '{"result":null,"give_up":{"reason":"no data"}}' }], {
      spec,
      host: { capabilities: { dialect: "openai" } },
    });
    expect(attempt).toMatchObject({ status: "accepted", value: { kind: "give_up" } });
  });

  it("is of one draft and of two variants at least", () => {
    const old = defineOutput({ name: "old", description: "", draft: "draft-07", schema: { type: "object" } });
    const define = (variants: Parameters<typeof unionOutput>[0]["variants"]) => () =>
      unionOutput({ name: "x", description: "", variants });
    expect(define({ result, old })).toThrow(/different drafts: 2020-12, draft-07/);
    expect(define({ result })).toThrow(/at least two/);
    expect(define({ result, giveUp })).not.toThrow();
  });

  it("tells the kinds apart in its type", () => {
    type Value = typeof spec extends { decode(value: never): infer R } ? Awaited<R> : never;
    type Accepted = Extract<Value, { value: unknown }>["value"];
    expectTypeOf<Accepted["kind"]>().toEqualTypeOf<"result" | "give_up">();
    expectTypeOf<Extract<Accepted, { kind: "result" }>["value"]>().toEqualTypeOf<{ at: Date }>();
  });
});
