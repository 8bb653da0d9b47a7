import type { JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput, OutputError, type OutputSpec } from "../src/index.ts";
import { dialects, lowerSchema, type DialectName } from "../src/lowering/index.ts";
import { ask, toolTexts } from "./support/asking.ts";
import { found, incompleteSchemas, storeSchemas, type StoreSchema } from "./support/outside-data.ts";

const complete = found.store ? storeSchemas().filter(({ name }) => !incompleteSchemas.includes(name)) : [];
/** Invalid only by a text of another format; formats are hints to the model. */
const byFormat: readonly string[] = ["all-contributors"];
const specOf = ({ name, schema }: StoreSchema): OutputSpec<JsonValue> =>
  defineOutput<JsonValue>({ name, description: "", schema });
const written = (spec: OutputSpec<JsonValue>, value: JsonValue): string =>
  JSON.stringify(spec.wrapped ? { value } : value);

// D17
describe.runIf(found.store)("the schemas of SchemaStore", () => {
  it("refuse by name what refers to documents that are not there", () => {
    const refused = storeSchemas().filter((schema) => {
      try {
        specOf(schema);
        return false;
      } catch (error) {
        return OutputError.is(error, "definition_error") && error.details.reason === "remote_reference";
      }
    });
    expect(refused.map(({ name }) => name).toSorted()).toEqual([...incompleteSchemas].toSorted());
    expect(complete.length).toBeGreaterThan(55);
  });

  it("accept their valid instances and refuse the invalid ones, with feedback within its limits (case 62)", async () => {
    const wrong: string[] = [];
    for (const schema of complete) {
      const spec = specOf(schema);
      for (const value of schema.valid) {
        const { attempt } = await ask([{ terminal: written(spec, value) }], { spec });
        if (attempt.status !== "accepted") wrong.push(`${schema.name} refuses a valid instance`);
      }
      for (const value of schema.invalid) {
        const terminal = written(spec, value);
        const { attempt, runner } = await ask([{ terminal }, { terminal }], { spec, attempts: 2 });
        if (attempt.status !== "mismatch" && !byFormat.includes(schema.name))
          wrong.push(`${schema.name} accepts an invalid instance`);
        const [feedback = ""] = toolTexts(runner);
        if (feedback.length > 600 || feedback.split("\n").length > 10)
          wrong.push(`${schema.name}: ${feedback}`);
      }
    }
    expect(wrong).toEqual([]);
  }, 120_000);

  it("case 95: give their first verdict soon, however large they are", async () => {
    const slow: string[] = [];
    for (const schema of complete) {
      const before = process.cpuUsage();
      const compiled = await specOf(schema).compile();
      for (const value of schema.valid) compiled.check(value);
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 > 1_000) slow.push(schema.name);
    }
    expect(slow).toEqual([]);
  }, 60_000);

  it.each(Object.keys(dialects) as DialectName[])(
    "lower to %s and back without losing a valid instance (case 19)",
    (dialect) => {
      const lost: string[] = [];
      let lifted = 0;
      for (const schema of complete) {
        const spec = specOf(schema);
        const { draft, schemas } = spec;
        const lowered = lowerSchema(spec.inputSchema as never, dialect, { draft, schemas });
        for (const instance of schema.valid) {
          const value = spec.wrapped ? { value: instance } : instance;
          const form = lowered.lower(value);
          if (form === undefined) continue;
          lifted += 1;
          const back = lowered.lift(form);
          // where a property may be left out and may be null, what was left out comes back as null
          const { optional } = lowered.dialect;
          const isSame = said(back.value, optional) === said(value, optional);
          if (back.issues.length > 0 || !isSame)
            lost.push(`${schema.name}: ${JSON.stringify(back).slice(0, 300)}`);
        }
      }
      expect(lost).toEqual([]);
      expect(lifted).toBeGreaterThan(20);
    },
  );
});

/** A value as text, its members in one order; without those that are null, where these may mean "left out". */
function said(value: JsonValue, keepsNull: boolean): string {
  const order = (part: JsonValue): JsonValue => {
    if (Array.isArray(part)) return part.map((item: JsonValue) => order(item));
    if (typeof part !== "object" || part === null) return part;
    const members = Object.entries(part).filter(([, member]) => keepsNull || member !== null);
    return Object.fromEntries(
      members
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, member]) => [key, order(member)]),
    );
  };
  return JSON.stringify(order(value));
}
