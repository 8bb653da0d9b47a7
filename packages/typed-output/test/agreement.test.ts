import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput } from "../src/index.ts";
import { detectDraft } from "../src/schema-walk.ts";
import { mutate, seeded } from "./support/mutations.ts";
import { found, incompleteSchemas, maskBenchSchemas, storeSchemas } from "./support/outside-data.ts";

interface Labelled {
  readonly data: JsonValue;
  readonly valid: boolean;
}

/** Counts labels that the package's own entry agrees with; a throw is a crash. */
class Agreement {
  agreed = 0;
  labels = 0;
  readonly crashes: string[] = [];

  async count(name: string, schema: JsonSchema, tests: readonly Labelled[]): Promise<void> {
    try {
      const { check } = await defineOutput({ name: "x", description: "", schema }).compile();
      for (const { data, valid } of tests) {
        this.labels += 1;
        if ((check(data).length === 0) === valid) this.agreed += 1;
      }
    } catch (error) {
      this.crashes.push(`${name}: ${String(error)}`);
    }
  }
}

/** ajv as it comes, with nothing of this package in it; undefined for a draft that it does not read, or a schema. */
function plainAjv(schema: JsonSchema): ((value: JsonValue) => boolean) | undefined {
  const draft = detectDraft(schema);
  if (draft !== "draft-07" && draft !== "2020-12") return undefined;
  const options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const;
  const ajv = draft === "draft-07" ? new Ajv(options) : new Ajv2020(options);
  const { $schema: _said, ...rest } = schema as Readonly<Record<string, JsonValue>>;
  const validate = ajv.compile(rest);
  return (value) => validate(value);
}

// case 93: MaskBench is schemas in use with labelled instances, scored by agreement and crashes; a sample of it is counted
// too where the outside data has one
describe.runIf(found.store)("agreement on schemas in use", () => {
  it("with ajv as it comes, on their instances and mutations of them", async () => {
    const score = new Agreement();
    for (const { name, schema, valid, invalid } of storeSchemas()) {
      const judge = incompleteSchemas.includes(name) ? undefined : plainAjv(schema);
      if (judge === undefined) continue;
      const random = seeded(name.length + 93);
      const instances = [...valid, ...invalid];
      const mutated = instances.flatMap((value) => Array.from({ length: 20 }, () => mutate(value, random)));
      const tests = [...instances, ...mutated].map((data) => ({ data, valid: judge(data) }));
      await score.count(name, schema, tests);
    }
    for (const [index, { schema, tests }] of maskBenchSchemas().entries())
      await score.count(`MaskBench ${index}`, schema, tests);
    expect(score.crashes).toEqual([]);
    expect(score.labels).toBeGreaterThan(2_000);
    expect(score.agreed / score.labels).toBeGreaterThanOrEqual(0.998);
  }, 120_000);
});
