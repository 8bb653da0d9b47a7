import fc from "fast-check";
import type { JsonSchema, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput } from "../src/index.ts";
import { lostDigits } from "../src/lost-digits.ts";
import { ask } from "./support/asking.ts";

async function answer(schema: JsonSchema, number: string, options: { dialect?: "openai" } = {}) {
  const root = { type: "object", properties: { n: schema } };
  const spec = defineOutput<{ n: JsonValue }>({ name: "x", description: "", schema: root });
  const host = options.dialect && { capabilities: { dialect: options.dialect } };
  const { attempt } = await ask([{ terminal: `{"n":${number}}` }], {
    spec,
    attempts: 1,
    ...(host && { host }),
  });
  return attempt;
}
const refusal = { status: "mismatch", issues: [{ keyword: "precision" }] };

const accepted: readonly [string, JsonSchema, string, number][] = [
  ["digits that are kept", { multipleOf: 0.01 }, "19.99", 19.99],
  ["the shortest form of a double", { multipleOf: 0.1 }, "0.1", 0.1],
  ["zeros behind", { type: "integer" }, "1.00000000000000000000", 1],
  ["a power of ten", { type: "integer" }, "1e15", 1e15],
  ["more digits where any number will do", { type: "number" }, "3.14159265358979323846264338", Math.PI],
  ["more digits away from a bound", { maximum: 4 }, "3.14159265358979323846264338", Math.PI],
  [
    "more digits beside choices of texts",
    { anyOf: [{ enum: ["pi"] }, { type: "number" }] },
    "3.14159265358979323846264338",
    Math.PI,
  ],
  [
    "a large integer where any number will do",
    { type: "number", minimum: 0 },
    "9007199254740993",
    9007199254740992,
  ],
  ["a number below all others", { type: "number" }, "1e-400", 0],
];

const refused: readonly [string, JsonSchema, string][] = [
  ["a multiple only as it is read", { multipleOf: 0.1 }, "0.1000000000000000055511151231257827"],
  ["an integer only as it is read", { type: "integer" }, "1.0000000000000000000001"],
  [
    "an integer only as it is read, in a list of types",
    { type: ["integer", "string"] },
    "1.0000000000000000000001",
  ],
  ["at a bound only as it is read", { maximum: 1 }, "1.0000000000000000000001"],
  ["above a bound only as it is read", { not: { exclusiveMinimum: 0.1 } }, "0.10000000000000000001"],
  ["the constant only as it is read", { const: 0.5 }, "0.50000000000000000001"],
  ["the constant in a list only as it is read", { items: { enum: [[0.5]] } }, "[[0.50000000000000000001]]"],
  ["nothing only as it is read", { const: 0 }, "1e-400"],
  ["a large integer in another spelling", { type: "integer" }, "9.007199254740993e15"],
  ["a large integer with a fraction of nothing", { type: "integer" }, "9007199254740993.0"],
  ["a large integer", { type: "integer" }, "9007199254740993"],
  ["behind a double denial", { not: { not: { type: "integer" } } }, "1.0000000000000000000001"],
  ["equal only as they are read", { not: { uniqueItems: true } }, "[0.5,0.50000000000000000001]"],
  ["in a condition", { if: { type: "integer" }, else: { minimum: 100 } }, "1.0000000000000000000001"],
];

// case 83
describe("a number with more digits than a double keeps", () => {
  it.each(accepted)("is accepted: %s", async (_what, schema, text, value) => {
    expect(await answer(schema, text)).toMatchObject({ status: "accepted", value: { n: value } });
  });

  it.each(refused)("is refused: %s", async (_what, schema, text) => {
    expect(await answer(schema, text)).toMatchObject(refusal);
  });

  it("is refused where the schema is shown in a provider's subset too", async () => {
    const [, schema, text] = refused[0]!;
    expect(await answer(schema, text, { dialect: "openai" })).toMatchObject(refusal);
    expect(await answer(schema, "0.3", { dialect: "openai" })).toMatchObject({ status: "accepted" });
  });

  it("is said in words that a model can act on, without the number where that is redacted", async () => {
    const spec = defineOutput<JsonValue>({
      name: "x",
      description: "",
      schema: { properties: { n: { multipleOf: 0.1 } } },
    });
    const terminal = '{"n":0.1000000000000000055511151231257827}';
    for (const redact of [false, true]) {
      const { attempt } = await ask([{ terminal }, { terminal: '{"n":0.3}' }], { spec, redact });
      const { feedback = "" } = attempt.attempts[0]!;
      expect(feedback).toContain("more digits than are kept");
      expect(feedback.includes("0.1")).toBe(!redact);
      expect(attempt.status).toBe("accepted");
    }
  });

  it("beyond all doubles is refused as no number", async () => {
    expect(await answer({ type: "number" }, "1e400")).toMatchObject({
      status: "mismatch",
      issues: [{ stage: "parse", message: "a number is too large" }],
    });
  });

  it("is not taken out of a string", async () => {
    expect((await answer({ type: "array" }, '"[0.1000000000000000055511]"')).status).toBe("mismatch");
    expect(await answer({ type: "array" }, '"[0.1]"')).toMatchObject({
      status: "accepted",
      value: { n: [0.1] },
    });
  });

  it("is found in a text, and digits inside strings and names are none", () => {
    expect([
      ...lostDigits('{"1.00000000000000000001":"2.00000000000000000001","n":[3.00000000000000000001]}'),
    ]).toEqual([3]);
    expect([...lostDigits('"a\\"1.00000000000000000001"')]).toEqual([]);
    const long = JSON.stringify(["1e5\\n".repeat(200_000), 1]);
    expect([...lostDigits(long)]).toEqual([]);
    expect([...lostDigits("-0.0e-5")]).toEqual([]);
    expect([...lostDigits("1e-999999999")]).toEqual([0]);
  });

  it("is none that JSON itself writes", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const text = JSON.stringify(number);
        expect([...lostDigits(text)]).toEqual([]);
        const [mantissa = "", power = "0"] = text.split("e");
        const longer = `${mantissa.includes(".") ? mantissa : `${mantissa}.0`}00000000000000000001e${power}`;
        expect(Number(longer) !== number || lostDigits(longer).has(number)).toBe(true);
      }),
    );
  });
});

// case 80
it("a list in a string is left there when one of its integers lost digits, and read when none did", async () => {
  const list: JsonSchema = { type: "array", items: { type: "integer" } };
  expect(await answer(list, '"[9007199254740993]"')).toMatchObject({ status: "mismatch" });
  expect(await answer(list, '"[9007199254740991]"')).toMatchObject({
    status: "accepted",
    value: { n: [9007199254740991] },
  });
});
