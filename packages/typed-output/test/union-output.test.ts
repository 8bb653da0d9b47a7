import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "@basis/core";
import { defineOutput, unionOutput, type OutputSpec } from "../src/index.ts";
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
  it("refuses what is no spec in place of one, and no variants at all", () => {
    const define = (variants: unknown) => () =>
      unionOutput({ name: "odd", description: "", variants: variants as never });
    for (const odd of [{ type: "object" }, undefined])
      expect(define({ odd, give_up: giveUp })).toThrow(/the variant odd is none that/);
    expect(define(undefined)).toThrow(expect.objectContaining({ code: "definition_error" }));
  });

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
    expect(toolTexts(runner)[0]).toContain("at most 1 property, got 2 properties");
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

  describe("judges each variant by its own schema", () => {
    const variant = (schema: JsonSchema, schemas = {}) =>
      defineOutput<unknown>({ name: "variant", description: "One.", schema, schemas });
    const union = (a: OutputSpec<unknown>, b: OutputSpec<unknown>) =>
      unionOutput({ name: "u", description: "", variants: { a, b } });
    const statusOf = async (of: OutputSpec<unknown>, terminal: string) =>
      (await ask([{ terminal }], { spec: of, attempts: 1 })).attempt.status;

    it("whatever anchors they have", async () => {
      const anchored = (type: string) =>
        variant({ type: "object", properties: { i: { $ref: "#i" } }, $defs: { i: { $anchor: "i", type } } });
      const both = union(anchored("string"), anchored("integer"));
      expect(await statusOf(both, '{"a":{"i":5}}')).toBe("mismatch");
      expect(await statusOf(both, '{"a":{"i":"x"}}')).toBe("accepted");
      expect(await statusOf(both, '{"b":{"i":5}}')).toBe("accepted");
    });

    it("recursive ones too", async () => {
      const $schema = "https://json-schema.org/draft/2019-09/schema";
      const tree: JsonSchema = {
        $schema,
        type: "object",
        properties: { next: { $recursiveRef: "#" } },
        required: ["k"],
      };
      const both = union(variant(tree), variant({ $schema, type: "object" }));
      expect(await statusOf(both, '{"a":{"k":1,"next":{"k":2}}}')).toBe("accepted");
      expect(await statusOf(both, '{"a":{"k":1,"next":{"b":{}}}}')).toBe("mismatch");
    });

    it("or says that two of them have one name", () => {
      const named = (type: string) =>
        variant({
          $id: "https://x.test/s",
          type: "object",
          properties: { i: { $ref: "#/$defs/i" } },
          $defs: { i: { type } },
        });
      const pointer = "/properties/a/properties/i/$ref";
      const ambiguous = { code: "definition_error", details: { pointer, reason: "unresolved_reference" } };
      expect(() => union(named("string"), named("integer"))).toThrow(expect.objectContaining(ambiguous));
      expect(() => union(named("string"), named("string"))).not.toThrow();

      const referring = (type: string) =>
        variant(
          { type: "object", properties: { i: { $ref: "https://x.test/i" } } },
          { "https://x.test/i": { type } },
        );
      expect(() => union(referring("string"), referring("integer"))).toThrow("different documents");
      expect(() => union(referring("string"), referring("string"))).not.toThrow();
    });

    it("and reads id as a name in draft 04 alone", async () => {
      const schema = {
        id: "word",
        type: "object",
        properties: { i: { $ref: "#/$defs/i" } },
        $defs: { i: { type: "string" } },
      };
      const both = union(variant(schema), variant({ type: "object" }));
      expect(await statusOf(both, '{"a":{"i":"x"}}')).toBe("accepted");
      expect(await statusOf(both, '{"a":{"i":1}}')).toBe("mismatch");
    });
  });
});
