import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { ajvValidator } from "../src/ajv/index.ts";
import { defineOutput, streamOutput, type DefinitionOptions, type SchemaDraft } from "../src/index.ts";
import { interpretingValidator } from "../src/interpreter/index.ts";
import { lowerSchema } from "../src/lowering/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";

/** Names that every object has, or that a library may take for its own business. */
const names = [
  "toString",
  "valueOf",
  "hasOwnProperty",
  "constructor",
  "isPrototypeOf",
  "__proto__",
  "__defineGetter__",
  "toJSON",
  "then",
  "length",
];
const drafts: readonly SchemaDraft[] = ["draft-04", "draft-07", "2019-09", "2020-12"];
const engines = { ajv: ajvValidator, interpreter: interpretingValidator };

/** An object with one own member, whatever its name. */
const having = (name: string, value: JsonValue): JsonValue =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as JsonValue;

async function accepts(
  schema: JsonSchema,
  value: JsonValue,
  more: Partial<DefinitionOptions>,
): Promise<boolean> {
  const compiled = await defineOutput({ name: "x", description: "", schema, ...more }).compile();
  return compiled.check(value).length === 0;
}

describe.each(Object.keys(engines) as (keyof typeof engines)[])(
  "names that objects inherit, by %s",
  (engine) => {
    it.each(drafts)("are members like any other in %s", async (draft) => {
      const how = { draft, validator: engines[engine]() };
      const judged = (schema: JsonSchema, value: JsonValue) => accepts(schema, value, how);
      const wrong: string[] = [];
      for (const name of names) {
        const [one, other] = [having(name, { a: 1 }), having(name, { a: 2 })];
        const verdicts = {
          "enum, equal": await judged({ enum: [other, one] }, having(name, { a: 1 })),
          "enum, scalars": await judged({ enum: [having(name, "x")] }, having(name, "x")),
          "enum, other": !(await judged({ enum: [one] }, other)),
          "enum, without": !(await judged({ enum: [one] }, {})),
          "enum, with": !(await judged({ enum: [{}] }, one)),
          "unique, equal": !(await judged({ uniqueItems: true }, [one, having(name, { a: 1 })])),
          "unique, other": await judged({ uniqueItems: true }, [one, other, {}, having(name, "x")]),
          "required, there": await judged({ required: [name] }, one),
          "required, not there": !(await judged({ required: [name] }, {})),
          "property, fits": await judged({ properties: having(name, { type: "object" }) as never }, one),
          "property, not there": await judged({ properties: having(name, { type: "string" }) as never }, {}),
          "property, wrong": !(await judged({ properties: having(name, { type: "string" }) as never }, one)),
          "closed, unknown": !(await judged({ additionalProperties: false }, one)),
          "closed, known": await judged(
            { additionalProperties: false, properties: having(name, {}) as never },
            one,
          ),
        };
        const constants =
          draft === "draft-04"
            ? {}
            : {
                "const, equal": await judged({ const: one }, having(name, { a: 1 })),
                "const, other": !(await judged({ const: one }, other)),
                "const in a list": !(await judged({ const: [one] }, [other])),
              };
        const said = Object.entries({ ...verdicts, ...constants });
        wrong.push(...said.filter(([, holds]) => !holds).map(([what]) => `${name}: ${what}`));
      }
      expect(wrong).toEqual([]);
    });

    it("make no schema unusable, and none throws a bare TypeError", async () => {
      for (const draft of drafts) {
        for (const name of names) {
          const member = having(name, { type: "integer" }) as never;
          const definitions = {
            properties: { a: member, b: { enum: [member, member] } },
            definitions: member,
          };
          const compiling = accepts(definitions, {}, { draft, validator: engines[engine]() });
          // the meta-schemas of the older drafts ask for different choices
          await compiling.then(
            (accepted) => expect(accepted).toBe(true),
            (error: unknown) => expect(error).toMatchObject({ code: "schema_invalid" }),
          );
        }
      }
    });
  },
);

it("are lowered and lifted like any other", () => {
  for (const name of names.filter((each) => each !== "__proto__")) {
    const schema = { type: "object", properties: having(name, { type: "string" }), required: [] } as never;
    for (const dialect of ["openai", "anthropic", "gemini", "openapi"] as const) {
      const lowered = lowerSchema(schema, dialect);
      const back = lowered.lift(lowered.lower(having(name, "x"))!);
      expect(back.value).toEqual(having(name, "x"));
    }
  }
});

it("stream and are accepted like any other", async () => {
  const schema = { type: "object", properties: { toString: { type: "array", items: { const: 1 } } } };
  const spec = defineOutput<JsonValue>({ name: "x", description: "", schema });
  const runner = scriptedRunner([{ terminal: '{"toString":[1]}' }], { pieces: 3 });
  const told: unknown[] = [];
  for await (const event of streamOutput(runner, spec, "Go.", { elements: "/toString" })) {
    if (event.type === "element") told.push(event.value);
    if (event.type === "result") told.push(event.attempt.status);
  }
  expect(told).toEqual([1, "accepted"]);
});
