import { describe, expect, it } from "vitest";
import { defineOutput, output, type OutputSpec } from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { report, watch } from "./support/watching.ts";

/** The least CPU that one of some batches took, in milliseconds a time: other work on the machine only adds to it. */
async function leastMs(
  work: (time: number) => unknown,
  { batches, times }: { batches: number; times: number },
) {
  let least = Infinity;
  for (let batch = 0; batch < batches; batch += 1) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) await work(batch * times + time);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000 / times);
  }
  return least;
}

/** A schema of about 43 KB, another one for each salt. */
function largeSpec(salt: number, records = 60): OutputSpec<unknown> {
  const field = (n: number) => ({
    type: "string",
    description: `Field ${n} of the record.`,
    maxLength: 40 + n,
  });
  const record = (n: number) => ({
    type: "object",
    description: `Record ${n}, ${salt}.`,
    properties: Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${at}`, field(at)])),
    required: ["field_0"],
    additionalProperties: false,
  });
  const properties = Object.fromEntries(
    Array.from({ length: records }, (_, n) => [`record_${n}`, record(n)]),
  );
  return defineOutput<unknown>({ name: "large", description: "", schema: { type: "object", properties } });
}

const medium = { record_0: { field_0: "a" } };
const value = { record_0: { field_0: "a" }, record_1: { field_0: "b", field_3: "c" } };

describe("what a typed answer costs", () => {
  it("case 97: of 1 KB, less than a millisecond", async () => {
    const spec = defineOutput<{ note: string }>({
      name: "note",
      description: "",
      schema: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
    });
    const terminal = JSON.stringify({ note: "x".repeat(1_000) });
    const run = () => output(scriptedRunner([{ terminal }]), spec, "Go.");
    expect(await leastMs(run, { batches: 6, times: 50 })).toBeLessThan(1);
  });

  it("case 95: the first verdict of a schema of 43 KB, 60 ms, and a further one a tenth", async () => {
    expect(JSON.stringify(largeSpec(0).schema).length).toBeGreaterThan(43_000);
    const first = async (salt: number) => {
      expect((await largeSpec(salt).compile()).check(value)).toEqual([]);
    };
    expect(await leastMs(first, { batches: 4, times: 1 })).toBeLessThan(60);
    const compiled = await largeSpec(0).compile();
    const further = () => compiled.check(value);
    expect(await leastMs(further, { batches: 5, times: 100 })).toBeLessThan(0.1);
    expect(compiled.check({ record_1: {} })).not.toEqual([]);
  });

  it.each([1, 2, 3, 4])(
    "case 95: the first verdict of a schema of %i KB, 10 ms, and a further one a hundredth",
    async (records) => {
      const first = async (salt: number) => {
        expect((await largeSpec(salt + 100, records).compile()).check(medium)).toEqual([]);
      };
      expect(await leastMs(first, { batches: 8, times: 1 })).toBeLessThan(10);
      const compiled = await largeSpec(0, records).compile();
      expect(await leastMs(() => compiled.check(medium), { batches: 5, times: 100 })).toBeLessThan(0.1);
      expect(compiled.check({ record_0: {} })).not.toEqual([]);
    },
  );

  it("case 94: a clone of a known schema, a tenth of a millisecond once it is defined", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } } } as const;
    const clone = () => defineOutput({ name: "n", description: "", schema: structuredClone(schema) });
    const specs = Array.from({ length: 300 }, clone);
    const found = async (time: number) => (await specs[time]!.compile()).check({ n: 1 });
    expect(await leastMs(found, { batches: 6, times: 50 })).toBeLessThan(0.1);
  });

  it("case 86: 100 KB streamed in pieces of four characters, 250 ms, and twice as much twice that", async () => {
    const rows = (count: number): string =>
      JSON.stringify({ title: "x", rows: Array.from({ length: count }, (_, n) => ({ n: 100_000 + n })) });
    const read = (terminal: string) => () => watch(report, [{ terminal }], { elements: "/rows" });
    const half = rows(8_000);
    expect(half.length).toBeGreaterThan(100 * 1024);
    const least = await leastMs(read(half), { batches: 3, times: 1 });
    expect(least).toBeLessThan(250);
    const whole = await leastMs(read(rows(16_000)), { batches: 3, times: 1 });
    expect(whole / least).toBeLessThan(2.5);
  });
});
