import type { JsonSchema } from "@basis/core";
import { describe, expect, it } from "vitest";
import { interpret } from "../../src/interpreter/interpreting-validator.ts";
import { dialects, lowerSchema, type DialectName } from "../../src/lowering/index.ts";
import { spellOutNullable } from "../../src/lowering/normal-form.ts";
import { SchemaMaker } from "../support/schema-cases.ts";
import { seeded } from "../support/mutations.ts";

const names = Object.keys(dialects) as DialectName[];
const judge = (schema: JsonSchema) => interpret(schema, { draft: "2020-12", schemas: {} });

// cases 11 to 16 and 19, S2
describe.each(names)("%s: the instances of 200 generated schemas", (dialect) => {
  it("fit the lowered schema when lowered, and come back as they were", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { schema, instance } = new SchemaMaker(seeded(seed * 7919)).document();
      const lowered = lowerSchema(schema, dialect);
      const [original, shown] = [judge(schema), judge(spellOutNullable(lowered.schema))];
      for (let count = 0; count < 10; count += 1) {
        const value = instance();
        const written = lowered.lower(value);
        const back = written === undefined ? undefined : lowered.lift(written);
        const account = {
          schema,
          value,
          fits: original.check(value),
          shown: written && shown.check(written),
          back,
        };
        expect(account).toEqual({ schema, value, fits: [], shown: [], back: { value, issues: [] } });
      }
    }
  });
});
