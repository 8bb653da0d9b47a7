import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOutput, type OutputOptions } from "../src/index.ts";
import { ask } from "./support/asking.ts";
import { found, incompleteSchemas, storeSchemas } from "./support/outside-data.ts";

const loose = defineOutput<JsonValue>({ name: "x", description: "", schema: { type: "object" } });

// P2
describe("cut-off answers", () => {
  it("case 79: of 4,000 answers cut anywhere none is accepted, and each is told as truncated", async () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), {
      minKeys: 1,
      noNullPrototype: true,
    });
    const seen = new Map<string, number>();
    let count = 0;
    const cut = fc.tuple(object, fc.double({ min: 0, max: 0.999, noNaN: true }));
    for (const [value, share] of fc.sample(cut, { numRuns: 4_000, seed: 20_261_130 })) {
      const text = JSON.stringify(value);
      const terminal = text.slice(0, Math.max(1, Math.floor(text.length * share)));
      const { attempt } = await ask([{ terminal }], { spec: loose, attempts: 1 });
      seen.set(attempt.status, (seen.get(attempt.status) ?? 0) + 1);
      count += 1;
    }
    expect(count).toBe(4_000);
    expect([...seen.keys()].toSorted()).toEqual(["truncated"]);
  }, 60_000);

  it("case 78: is truncated at the output limit, even when the text happens to be whole", async () => {
    const { attempt } = await ask([{ terminal: '{"a":1}', finish: "length" }], { spec: loose });
    expect(attempt).toMatchObject({ status: "truncated", limit: "output_tokens" });
    expect((await ask([{ terminal: '{"a":1}' }], { spec: loose })).attempt.status).toBe("accepted");
  });

  it("takes no number that stands alone, of which any beginning is one", async () => {
    const number = defineOutput<JsonValue>({
      name: "x",
      description: "",
      schema: { type: ["integer", "null"] },
    });
    const host = { capabilities: { native: "alone" } } as const;
    for (const answer of [{ terminal: "12" }, { text: "12" }, { text: "-0.1" }]) {
      const options: OutputOptions = { attempts: 1, ...("text" in answer && { strategy: "native" }) };
      const { attempt } = await ask([answer], { spec: number, host, ...options });
      expect(attempt).toMatchObject({
        status: "mismatch",
        issues: [{ message: expect.stringContaining('expected {"value": …}') }],
      });
    }
    for (const [terminal, value] of [
      ["null", null],
      ['{"value":12}', 12],
      ['{"output":12}', 12],
    ] as const) {
      const { attempt } = await ask([{ terminal }], { spec: number });
      expect(attempt).toMatchObject({ status: "accepted", value });
    }
  });

  it.runIf(found.store)(
    "holds for the instances of SchemaStore under their own schemas",
    async () => {
      const options: OutputOptions = { attempts: 1 };
      for (const { name, schema, valid } of storeSchemas()) {
        const [value] = valid;
        if (incompleteSchemas.includes(name) || value === undefined) continue;
        const spec = defineOutput<JsonValue>({ name, description: "", schema });
        const text = JSON.stringify(spec.wrapped ? { value } : value);
        for (const share of [0.2, 0.5, 0.8, 0.97]) {
          const terminal = text.slice(0, Math.max(1, Math.floor(text.length * share)));
          expect((await ask([{ terminal }], { spec, ...options })).attempt.status).toBe("truncated");
        }
      }
    },
    60_000,
  );
});
