import { defineOutput } from "../../../packages/typed-output/dist/index.js";

/** A schema of about 43 KB: 60 records of 12 fields. `salt` makes one that no cache knows. */
function largeSchema(salt) {
  const field = (n) => ({ type: "string", description: `Field ${n} of the record.`, maxLength: 40 + n });
  const record = (n) => ({
    type: "object",
    description: `Record ${n}, ${salt}.`,
    properties: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${at}`, field(at)])),
    required: ["field_0"],
    additionalProperties: false,
  });
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`record_${n}`, record(n)]));
  return { type: "object", properties, additionalProperties: false };
}

const VALUE = { record_1: { field_0: "a" }, record_2: { field_0: "b", field_3: "c" } };

const define = (salt) => defineOutput({ name: "large", description: "", schema: largeSchema(salt) });

/** `first`: definition, compile and verdict of a schema not seen before. `warm`: one more verdict. `clone`: an equal schema defined anew. */
export async function open({ state }) {
  let count = 0;
  const judge = async (spec) => {
    const issues = (await spec.compile()).check(VALUE);
    if (issues.length > 0) throw new Error(issues[0].message);
  };
  if (state === "warm") {
    const compiled = await define(0).compile();
    return {
      run: (times) => {
        for (let at = 0; at < times; at += 1) compiled.check(VALUE);
      },
    };
  }
  const next = state === "first" ? () => define((count += 1)) : () => define(0);
  return {
    run: async (times) => {
      for (let at = 0; at < times; at += 1) await judge(next());
    },
  };
}
