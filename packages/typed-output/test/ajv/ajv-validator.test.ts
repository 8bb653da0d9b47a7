import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { JsonSchema, JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../../src/ajv/index.ts";
import { hoistRepeated } from "../../src/ajv/hoist.ts";
import { ValidatorCache } from "../../src/validator-cache.ts";
import { defineOutput, runOutput, type CompiledSchema, type SchemaDraft } from "../../src/index.ts";
import { scriptedRunner } from "../../src/testing/index.ts";
import { totalSchema } from "../support/asking.ts";

const how = (draft: SchemaDraft) => ({ draft, schemas: {} });
const compile = (schema: JsonSchema) => defineOutput({ name: "x", description: "", schema }).compile();

describe("the drafts", () => {
  it.each([
    ["draft-07", "http://json-schema.org/draft-07/schema#"],
    ["2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ] as const)("say what is wrong with a schema that %s describes", async (draft, $ref) => {
    const { check } = await defineOutput({ name: "x", description: "", schema: { $ref }, draft }).compile();
    expect(check({ type: "string", minLength: 1 })).toEqual([]);
    expect(check({ type: "strin" })).toEqual([
      expect.objectContaining({
        pointer: "/type",
        keyword: "enum",
        allowed: expect.arrayContaining(["string"]),
      }),
    ]);
  });

  // case 1
  it("give the same verdicts on one shape", async () => {
    const n = { type: "integer", minimum: 0 };
    const shapes: JsonSchema[] = [
      {
        id: "http://x.test/a",
        $schema: "http://json-schema.org/draft-04/schema#",
        type: "object",
        properties: { n: { ...n, exclusiveMinimum: true }, t: { $ref: "#/definitions/t" } },
        required: ["n"],
        definitions: { t: { type: "array", items: [{ type: "string" }], additionalItems: false } },
      },
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { n: { type: "integer", exclusiveMinimum: 0 }, t: { $ref: "#/definitions/t" } },
        required: ["n"],
        definitions: { t: { type: "array", items: [{ type: "string" }], additionalItems: false } },
      },
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        type: "object",
        properties: { n: { type: "integer", exclusiveMinimum: 0 }, t: { $ref: "#/$defs/t" } },
        required: ["n"],
        $defs: { t: { type: "array", items: [{ type: "string" }], additionalItems: false } },
      },
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { n: { type: "integer", exclusiveMinimum: 0 }, t: { $ref: "#/$defs/t" } },
        required: ["n"],
        $defs: { t: { type: "array", prefixItems: [{ type: "string" }], items: false } },
      },
    ];
    const checks = await Promise.all(shapes.map(compile));
    const values: JsonValue[] = [
      { n: 1 },
      { n: 0 },
      { n: 1.5 },
      {},
      { n: 1, t: ["a"] },
      { n: 1, t: [1] },
      { n: 1, t: ["a", "b"] },
      [],
    ];
    for (const value of values) {
      expect(new Set(checks.map((compiled) => compiled.check(value).length === 0)).size).toBe(1);
    }
    expect(checks[0]!.check({ n: 1, t: ["a"] })).toEqual([]);
    expect(checks[0]!.check({ n: 0 })).toHaveLength(1);
  });

  // case 1
  it("are told apart without $schema by what only the older ones know", async () => {
    const old = await compile({ type: "object", properties: { n: { minimum: 0, exclusiveMinimum: true } } });
    expect(old.check({ n: 0 })).toHaveLength(1);
    const tuple = await compile({ type: "array", items: [{ type: "string" }] });
    expect([tuple.check(["a", 1]).length, tuple.check([1]).length]).toEqual([0, 1]);
  });
});

describe("set-up errors", () => {
  // D2
  it.each([
    ["draft-04", "ajv-draft-04", "^1.0.0"],
    ["2020-12", "ajv", "^8.17.0"],
  ] as const)("name the package and the version that %s needs", async (draft, name, version) => {
    const missing = () =>
      Promise.reject(Object.assign(new Error("no such package"), { code: "ERR_MODULE_NOT_FOUND" }));
    const validator = ajvValidator({ importEngine: missing });
    await expect(validator.compile(totalSchema, how(draft))).rejects.toMatchObject({
      code: "peer_missing",
      details: { package: name, version },
    });
    await expect(ajvValidator().compile(totalSchema, how(draft))).resolves.toBeDefined();
    const outdated = ajvValidator({ importEngine: async () => ({ default: function Older() {} }) });
    await expect(outdated.compile(totalSchema, how(draft))).rejects.toMatchObject({
      message: `checking a ${draft} schema needs the package ${name}@${version}, which is installed in another version`,
      details: { package: name, version },
    });
  });

  // D15
  it("come from spec.compile() and before any request, once a schema is no schema", async () => {
    const spec = defineOutput({ name: "x", description: "", schema: { type: "strin" } });
    await expect(spec.compile()).rejects.toMatchObject({ code: "schema_invalid" });
    await expect(spec.compile()).rejects.toMatchObject({ code: "schema_invalid" });
  });

  it("never escape from a check", async () => {
    const endless = await compile({ $ref: "#" });
    expect(endless.check({ a: 1 })).toEqual([
      { pointer: "", keyword: "schema", message: "the schema cannot judge this value" },
    ]);
  });
});

describe("the cache", () => {
  // case 94
  it("gives one validator to 10,000 clones of a schema", async () => {
    const validator = ajvValidator({ maxEntries: 4 });
    const seen = new Set<CompiledSchema>();
    for (let n = 0; n < 10_000; n += 1) {
      seen.add(await validator.compile(structuredClone(totalSchema), how("2020-12")));
    }
    expect(seen.size).toBe(1);
    seen.add(
      await validator.compile(Object.fromEntries(Object.entries(totalSchema).toReversed()), how("2020-12")),
    );
    expect(seen.size).toBe(1);
    seen.add(await validator.compile(totalSchema, how("draft-07")));
    expect(seen.size).toBe(2);
  });

  it("keeps 256 validators unless told otherwise", async () => {
    const validator = ajvValidator({});
    const compiled = (n: number) => validator.compile({ const: n }, how("2020-12"));
    const first = await compiled(0);
    for (let n = 1; n < 256; n += 1) await compiled(n);
    expect(await compiled(0)).toBe(first);
    for (let n = 256; n < 512; n += 1) await compiled(n);
    expect(await compiled(0)).not.toBe(first);
  });

  // case 94
  it("keeps nothing of 10,000 runs on specs of equal schemas", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const kept = async (): Promise<number> => {
      for (let n = 0; n < 5_000; n += 1) {
        const spec = defineOutput({ name: "x", description: "", schema: structuredClone(totalSchema) });
        const { status } = await runOutput(scriptedRunner([{ terminal: '{"total":3}' }]), spec, "Go.");
        expect(status).toBe("accepted");
      }
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await kept();
    expect((await kept()) - before).toBeLessThan(5 * 1024 * 1024);
  });

  it("lets go of the one unused for longest, by number and by size", () => {
    const cache = new ValidatorCache(2, 100);
    const make = (): CompiledSchema => ({ check: () => [] });
    const a = cache.get("a", 10, make);
    cache.get("b", 10, make);
    expect(cache.get("a", 10, make)).toBe(a);
    cache.get("c", 10, make);
    expect(cache.get("a", 10, make)).toBe(a);
    expect(cache.size).toBe(2);
    cache.get("large", 95, make);
    expect(cache.size).toBe(1);
    expect(cache.get("a", 10, make)).not.toBe(a);
  });
});

describe("hoisting", () => {
  const part = {
    type: "object",
    properties: { street: { type: "string", maxLength: 80 }, city: { type: "string", maxLength: 80 } },
    required: ["street", "city"],
    additionalProperties: false,
  };
  const schema = {
    type: "object",
    properties: { home: part, work: part, all: { type: "array", items: part } },
  };

  it("gives repeated sub-schemas one definition and changes no verdict", async () => {
    const hoisted = hoistRepeated(schema, "2020-12");
    expect(JSON.stringify(hoisted).length).toBeLessThan(JSON.stringify(schema).length);
    const [before, after] = await Promise.all([compile(schema), compile(hoisted)]);
    const address = fc.record(
      { street: fc.oneof(fc.string(), fc.integer()), city: fc.string(), extra: fc.constant(1) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.record({ home: address, work: address, all: fc.array(address) }, { requiredKeys: [] }),
        (value) => {
          const count = (compiled: CompiledSchema) => compiled.check(value).length;
          expect(count(after)).toBe(count(before));
        },
      ),
    );
  });

  it("leaves alone what depends on its place", () => {
    for (const bound of [
      { $id: "https://x.test/a" },
      { not: { $ref: "#/properties/home" } },
      { not: { $anchor: "a" } },
    ]) {
      const fixed = { ...schema, ...bound };
      expect(hoistRepeated(fixed, "2020-12")).toBe(fixed);
    }
    const once = { type: "object", properties: { home: part } };
    expect(hoistRepeated(once, "2020-12")).toBe(once);
  });
});
