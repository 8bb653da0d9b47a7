import { isDeepStrictEqual } from "node:util";
import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../../src/ajv/index.ts";
import { defineOutput, type CompiledSchema, type SchemaDraft } from "../../src/index.ts";
import { interpretingValidator } from "../../src/interpreter/index.ts";
import { knownFailures } from "../ajv/known-failures.ts";
import { mutate, seeded } from "../support/mutations.ts";
import {
  found,
  incompleteSchemas,
  storeSchemas,
  suiteGroups,
  suiteRemotes,
} from "../support/outside-data.ts";

interface Both {
  readonly byAjv: CompiledSchema;
  readonly interpreted: CompiledSchema;
}

async function compileBoth(schema: JsonSchema, draft?: SchemaDraft): Promise<Both> {
  const schemas = draft ? suiteRemotes(draft) : {};
  const define = { name: "x", description: "", schema, schemas, ...(draft && { draft }) };
  return {
    byAjv: await defineOutput({ ...define, validator: ajvValidator() }).compile(),
    interpreted: await defineOutput({ ...define, validator: interpretingValidator() }).compile(),
  };
}

const completeSchemas = () => storeSchemas().filter(({ name }) => !incompleteSchemas.includes(name));

const accepts = (compiled: CompiledSchema, value: JsonValue): boolean => compiled.check(value).length === 0;

// case 96
describe.runIf(found.store)("ajv and the interpreter on the schemas of SchemaStore", () => {
  it("accept and refuse the same instances, and the same mutations of them", async () => {
    const differing: string[] = [];
    let judged = 0;
    for (const { name, schema, valid, invalid } of completeSchemas()) {
      const { byAjv, interpreted } = await compileBoth(schema);
      const random = seeded(judged + 1);
      const mutated = [...valid, ...invalid].flatMap((value) =>
        Array.from({ length: 25 }, () => mutate(value, random)),
      );
      for (const value of [...valid, ...invalid, ...mutated]) {
        judged += 1;
        if (accepts(byAjv, value) !== accepts(interpreted, value))
          differing.push(`${name}: ${JSON.stringify(value).slice(0, 200)}`);
      }
    }
    expect(differing).toEqual([]);
    expect(judged).toBeGreaterThan(2_500);
  }, 120_000);

  it("name the same places of an invalid instance", async () => {
    let same = 0;
    let all = 0;
    for (const { schema, invalid } of completeSchemas()) {
      const { byAjv, interpreted } = await compileBoth(schema);
      for (const value of invalid) {
        const places = (compiled: CompiledSchema): string[] =>
          [...new Set(compiled.check(value).map(({ pointer }) => pointer))].toSorted();
        all += 1;
        if (isDeepStrictEqual(places(byAjv), places(interpreted))) same += 1;
      }
    }
    expect(same / all).toBeGreaterThan(0.9);
  }, 120_000);
});

describe.runIf(found.suite)("ajv and the interpreter on mutated instances of the official suite", () => {
  it.each(["draft-07", "2020-12"] as const)(
    "agree on %s wherever ajv agrees with the suite",
    async (draft) => {
      const differing: string[] = [];
      for (const group of suiteGroups(draft)) {
        const names = [...knownFailures.ajv[draft], ...knownFailures.interpreter[draft]];
        if (names.some((name) => name.startsWith(`${group.file}: ${group.description}:`))) continue;
        const { byAjv, interpreted } = await compileBoth(group.schema, draft);
        const random = seeded(group.description.length);
        for (const { data } of group.tests.flatMap((test) => Array.from({ length: 10 }, () => test))) {
          const value = mutate(data, random);
          if (accepts(byAjv, value) !== accepts(interpreted, value)) {
            differing.push(`${group.file}: ${group.description}: ${JSON.stringify(value)}`);
          }
        }
      }
      expect(differing).toEqual([]);
    },
    120_000,
  );
});
